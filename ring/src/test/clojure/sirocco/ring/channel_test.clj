;; SPDX-License-Identifier: Apache-2.0
(ns sirocco.ring.channel-test
  "Channels over HTTP: long polling, streams, slow and lost clients; and over WebSockets."
  (:require [clojure.string :as str]
            [clojure.test :refer [deftest is]]
            [sirocco.ring :as ring :refer [as-channel close on-close on-ping on-receive open? send! try-send! websocket?]]
            [sirocco.ring.conformance.wire :as wire]
            [sirocco.ring.frames :as frames])
  (:import (java.util.concurrent CountDownLatch LinkedBlockingQueue TimeUnit)))

(defmacro ^:private serving [[port handler opts] & body]
  `(let [stop# (ring/run-server ~handler (merge {:port 0 :ip "127.0.0.1" :loops 1} ~opts))
         ~port (:local-port (meta stop#))]
     (try ~@body (finally (stop#)))))

(defn- soon [p] (deref p 15000 :nothing))

(defn- next-of [^LinkedBlockingQueue queue] (or (.poll queue 15 TimeUnit/SECONDS) :nothing))

(deftest long-polling
  (let [channels (LinkedBlockingQueue.)
        closes (LinkedBlockingQueue.)]
    (serving [port (fn [request]
                     (as-channel request {:on-open (fn [ch] (.add channels ch))
                                          :on-close (fn [_ status] (.add closes status))}))]
      (with-open [socket (wire/connect port)]
        (dotimes [i 3]
          (wire/write! socket "GET / HTTP/1.1\nHost: a\n\n")
          (let [ch (next-of channels)]
            (is (false? (websocket? ch)))
            (is (true? (open? ch)))
            (is (true? (send! ch (str "answer " i))))
            (is (false? (open? ch)))
            (is (false? (send! ch "more")) "a closed channel stays closed")
            (is (false? (close ch))))
          (let [response (wire/read-response! socket)]
            (is (= (str "answer " i) (wire/text response)))
            (is (= "text/html; charset=utf-8" (wire/header response "content-type")))
            (is (= "8" (wire/header response "content-length"))))
          (is (= :server-close (next-of closes))))))))

(deftest a-whole-response-by-a-channel
  (serving [port (fn [request]
                   (as-channel request {:on-open (fn [ch] (send! ch {:status 201 :headers {"X-A" "1"} :body "made"}))}))]
    (let [response (wire/fetch port "/")]
      (is (= [201 "1" nil "made"]
             [(:status response) (wire/header response "x-a") (wire/header response "content-type") (wire/text response)])))))

(deftest a-stream
  (let [channel (promise)]
    (serving [port (fn [request] (as-channel request {:on-open (fn [ch] (deliver channel ch))}))]
      (with-open [socket (wire/connect port)]
        (wire/write! socket "GET / HTTP/1.1\nHost: a\n\nGET / HTTP/1.1\nHost: a\n\n")
        (let [ch (soon channel)]
          (is (true? (send! ch {:status 200 :headers {"Content-Type" "text/plain"} :body "one "} false)))
          (let [head (wire/read-head! socket)]
            (is (= "text/plain" (wire/header head "content-type")))
            (is (= "chunked" (wire/header head "transfer-encoding"))))
          (is (= "4" (wire/read-line! socket)))
          (is (= "one " (wire/read-line! socket)) "it arrives while the stream is open")
          (is (true? (send! ch nil false)))
          (is (true? (send! ch {:status 500 :body "two"} false)) "later maps contribute their body only")
          (is (= ["3" "two"] [(wire/read-line! socket) (wire/read-line! socket)]))
          (is (true? (close ch)))
          (is (= ["0" ""] [(wire/read-line! socket) (wire/read-line! socket)])))))))

(deftest a-stream-to-an-old-client
  (serving [port (fn [request]
                   (as-channel request {:on-open (fn [ch] (send! ch "a" false) (send! ch "b" false) (send! ch "c"))}))]
    (with-open [socket (wire/connect port)]
      (wire/write! socket "GET / HTTP/1.0\n\n")
      (is (= "abc" (wire/text (wire/read-response! socket)))))))

(deftest a-stream-in-answer-to-head
  (let [closed (promise)]
    (serving [port (fn [request]
                     (as-channel request {:on-open (fn [ch] (send! ch "a" false))
                                          :on-close (fn [_ status] (deliver closed status))}))]
      (with-open [socket (wire/connect port)]
        (wire/write! socket "HEAD / HTTP/1.1\nHost: a\n\n")
        (is (= 200 (:status (wire/read-response! socket true))))
        (is (= :server-close (soon closed)))))))

(deftest closed-before-anything-was-sent
  (serving [port (fn [request] (as-channel request {:on-open (fn [ch] (is (true? (close ch))) (is (false? (close ch))))}))]
    (with-open [socket (wire/connect port)]
      (dotimes [_ 2]
        (wire/write! socket "GET / HTTP/1.1\nHost: a\n\n")
        (is (= 204 (:status (wire/read-response! socket))))))))

(deftest a-client-that-goes
  (let [opened (promise)
        closes (LinkedBlockingQueue.)]
    (serving [port (fn [request]
                     (as-channel request {:on-open (fn [ch] (when-not (= "/wait" (:uri request)) (send! ch "a" false)) (deliver opened ch))
                                          :on-close (fn [_ status] (.add closes status))}))]
      (doseq [path ["/wait" "/stream"]]
        (with-open [socket (wire/connect port)]
          (wire/write! socket (str "GET " path " HTTP/1.1\nHost: a\n\n"))
          (soon opened))
        (is (= :client-close (next-of closes)) path))
      (is (false? (send! (soon opened) "late")))
      (is (nil? (.poll closes))))))

(deftest on-close-after-the-close
  (serving [port (fn [request]
                   (let [ch (:async-channel request)
                         seen (promise)]
                     (send! ch "answer")
                     (on-close ch (fn [status] (deliver seen status)))
                     (is (= :server-close (soon seen)))
                     (is (thrown? IllegalStateException (on-close ch (fn [_]))) "it is set once")
                     {:body ch}))]
    (is (= "answer" (wire/text (wire/fetch port "/"))))))

(deftest on-close-fires-once-whatever-comes-first
  (let [closes (atom {})
        called (CountDownLatch. 1000)]
    (serving [port (fn [request]
                     (as-channel request
                       {:on-open (fn [ch]
                                   (future (close ch))
                                   (future (send! ch "x"))
                                   (future (on-close ch (fn [_] (swap! closes update ch (fnil inc 0)) (.countDown called)))))}))]
      (with-open [socket (wire/connect port)]
        (dotimes [_ 1000]
          (wire/write! socket "GET / HTTP/1.1\nHost: a\n\n")
          (is (contains? #{200 204} (:status (wire/read-response! socket))))))
      (is (.await called 15 TimeUnit/SECONDS)))
    (is (= 1000 (count @closes)))
    (is (every? #{1} (vals @closes)))))

(deftest a-stream-has-the-charset-of-its-content-type
  (serving [port (fn [request]
                   (as-channel request {:on-open (fn [ch]
                                                   (send! ch {:headers {"Content-Type" "text/plain; charset=iso-8859-1"} :body "ä"} false)
                                                   (send! ch "ö"))}))]
    (is (= [-28 -10] (vec (:body (wire/fetch port "/")))))))

(deftest a-slow-client-holds-up-the-sender
  (let [sent (atom 0)
        refused (promise)
        done (promise)
        piece (apply str (repeat 10000 "x"))]
    (serving [port (fn [request]
                     (as-channel request
                       {:on-open (fn [ch]
                                   (while (try-send! ch piece false) (swap! sent inc))
                                   (deliver refused @sent)
                                   (dotimes [_ 500] (send! ch piece false))
                                   (close ch)
                                   (deliver done true))}))
              {:max-pending 100000}]
      (with-open [socket (wire/connect port)]
        (wire/write! socket "GET / HTTP/1.1\nHost: a\n\n")
        (let [n (soon refused)]
          (is (< 0 n 3000) "what the server and the kernel hold is bounded")
          (is (not (realized? done)))
          (is (= (* (+ n 500) 10000) (alength ^bytes (:body (wire/read-response! socket)))))
          (is (true? (soon done))))))))

(deftest a-stream-that-is-written-before-its-handler-returns
  (let [piece (apply str (repeat 65536 "x"))
        write! (fn [ch last]
                 (dotimes [_ 63] (is (true? (send! ch piece false))))
                 (is (true? (last ch))))
        end-by-close (fn [ch] (and (send! ch piece false) (close ch)))
        end-by-piece (fn [ch] (send! ch piece true))
        pool (java.util.concurrent.Executors/newFixedThreadPool 2)]
    (try
      (doseq [last [end-by-close end-by-piece]
              write! [(fn [request] (write! (:async-channel request) last))
                      (fn [request] @(future (write! (:async-channel request) last)))]
              [handler opts] [[(fn [request] (write! request) {:body (:async-channel request)}) {}]
                              [(fn [request] (write! request) {:body (:async-channel request)}) {:worker-pool pool}]
                              [(fn [request respond _] (write! request) (respond {:body (:async-channel request)}))
                               {:ring-async? true}]]]
        (serving [port handler (assoc opts :max-pending 1048576)]
          (with-open [socket (wire/connect port)]
            (dotimes [_ 2] ; the connection stays
              (wire/write! socket "GET / HTTP/1.1\nHost: a\n\n")
              (is (= 4194304 (alength ^bytes (:body (wire/read-response! socket)))))))))
      (finally (.shutdownNow pool)))))

(deftest several-threads-send-before-the-handler-returns
  (let [piece #(apply str (repeat 5000 %))
        letters (map char (range (int \a) (int \i)))]
    (serving [port (fn [request]
                     (let [ch (:async-channel request)
                           threads (mapv #(future (dotimes [_ 100] (send! ch (piece %) false))) letters)]
                       (run! deref threads)
                       (close ch)
                       {:body ch}))
              {:max-pending 100000}]
      (with-open [socket (wire/connect port)]
        (wire/write! socket "GET / HTTP/1.1\nHost: a\n\n")
        (let [pieces (map #(apply str %) (partition 5000 (wire/text (wire/read-response! socket))))]
          (is (= (zipmap (map piece letters) (repeat 100)) (frequencies pieces)) "whole pieces, all of them"))))))

(deftest an-event-stream
  (let [channel (promise)
        closed (promise)]
    (serving [port (fn [request]
                     (as-channel request
                       {:on-open (fn [ch]
                                   (send! ch {:status 200 :headers {"Content-Type" "text/event-stream"}} false) ; headers alone
                                   (deliver channel ch))
                        :on-close (fn [_ status] (deliver closed status))}))]
      (with-open [socket (wire/connect port)]
        (wire/write! socket "GET / HTTP/1.1\nHost: a\n\n")
        (is (= "text/event-stream" (wire/header (wire/read-head! socket) "content-type")) "before the first event")
        (doseq [event ["data: 1" "data: two"]]
          (is (true? (send! (soon channel) (str event "\n\n") false)))
          (is (= (Integer/toHexString (+ 2 (count event))) (wire/read-line! socket)))
          (is (= (str event "\n\n") (String. (byte-array (wire/read-bytes! socket (+ 2 (count event)))))))
          (wire/read-line! socket)))
      (is (= :client-close (soon closed)))
      (is (false? (send! (soon channel) "late" false))))))

(deftest a-stream-leaves-while-its-handler-runs
  (let [read (promise)
        closed (promise)]
    (serving [port (fn [request]
                     (let [ch (:async-channel request)]
                       (on-close ch (fn [status] (deliver closed status)))
                       (send! ch {:status 201 :headers {"Content-Type" "text/plain"} :body "one"} false)
                       (is (true? (soon read)))
                       (send! ch "two")
                       {:body ch}))]
      (with-open [socket (wire/connect port)]
        (wire/write! socket "GET / HTTP/1.1\nHost: a\n\n")
        (is (= 201 (:status (wire/read-head! socket))))
        (is (= ["3" "one"] [(wire/read-line! socket) (wire/read-line! socket)]))
        (deliver read true)
        (is (= ["3" "two" "0" ""] (vec (repeatedly 4 #(wire/read-line! socket)))))
        (is (= :server-close (soon closed)))))))

(deftest a-client-that-goes-while-the-handler-writes
  (let [refused (promise)
        closed (promise)
        piece (apply str (repeat 65536 "x"))]
    (serving [port (fn [request]
                     (let [ch (:async-channel request)]
                       (on-close ch (fn [status] (deliver closed status)))
                       (while (send! ch piece false))
                       (deliver refused true)
                       {:body ch}))]
      (with-open [socket (wire/connect port)]
        (wire/write! socket "GET / HTTP/1.1\nHost: a\n\n")
        (is (= 200 (:status (wire/read-head! socket)))))
      (is (true? (soon refused)))
      (is (= :client-close (soon closed))))))

(deftest a-stream-is-broken-off-when-its-handler-throws
  (doseq [[handler opts] [[(fn [request] (send! (:async-channel request) "first" false) (throw (IllegalStateException. "mine"))) {}]
                          [(fn [request] (send! (:async-channel request) "first" false) :no-response) {}]
                          [(fn [request _ _] (send! (:async-channel request) "first" false) (throw (IllegalStateException. "mine")))
                           {:ring-async? true}]
                          [(fn [request _ raise] (send! (:async-channel request) "first" false) (raise (IllegalStateException. "mine")))
                           {:ring-async? true}]]
          version ["1.1" "1.0"]]
    (let [logged (LinkedBlockingQueue.)]
      (serving [port handler (assoc opts :error-logger (fn [message _] (.add logged message)))]
        (is (thrown? java.io.IOException (wire/exchange port (str "GET / HTTP/" version "\nHost: a\n\n"))))
        (is (str/starts-with? (str (next-of logged)) "GET / failed")))
      (is (nil? (.poll logged)) "once"))))

(deftest a-slow-client-that-never-reads-is-cut-off
  (let [refused (promise)
        closed (promise)
        piece (apply str (repeat 100000 "x"))]
    (serving [port (fn [request]
                     (as-channel request
                       {:on-open (fn [ch] (while (send! ch piece false)) (deliver refused true))
                        :on-close (fn [_ status] (deliver closed status))}))
              {:max-pending 100000 :write-timeout 200}]
      (with-open [socket (wire/connect port)]
        (wire/write! socket "GET / HTTP/1.1\nHost: a\n\n")
        (is (true? (soon refused)) "the wait ends")
        (is (= :client-close (soon closed)))))))

(deftest callbacks-that-throw
  (serving [port (fn [request] (as-channel request {:on-open (fn [_] (throw (IllegalStateException. "secret")))}))
            {:error-logger (fn [_ _])}]
    (let [response (wire/fetch port "/")]
      (is (= 500 (:status response)))
      (is (not (str/includes? (wire/text response) "secret"))))))

(deftest a-stream-is-broken-off-when-its-callback-throws
  (doseq [then [(fn [_] (throw (IllegalStateException. "mine")))
                (fn [ch] (send! ch :not-a-body true))
                (fn [ch] (send! ch :not-a-body false))
                (fn [ch] (deref (future (try (send! ch :not-a-body true) (catch IllegalArgumentException _)))))]
          version ["1.1" "1.0"]]
    (let [logged (LinkedBlockingQueue.)
          closed (promise)]
      (serving [port (fn [request]
                       (as-channel request {:on-open (fn [ch] (send! ch "first" false) (then ch))
                                            :on-close (fn [_ status] (deliver closed status))}))
                {:error-logger (fn [message thrown] (.add logged [message thrown]))}]
        (is (thrown? java.io.IOException (wire/exchange port (str "GET /boom?secret HTTP/" version "\nHost: a\n\n")))
            "the client can tell")
        (let [[message thrown] (next-of logged)]
          (is (re-matches #"GET /boom failed \(request [^)]+\): .*" message))
          (is (instance? RuntimeException thrown)))
        (is (not= :nothing (soon closed))))
      (is (nil? (.poll logged)) "once"))))

(deftest an-exception-behind-a-whole-response-is-reported
  (let [logged (LinkedBlockingQueue.)]
    (serving [port (fn [request]
                     (as-channel request {:on-open (fn [ch] (send! ch "whole") (throw (IllegalStateException. "mine")))}))
              {:error-logger (fn [message thrown] (.add logged [message (ex-message thrown)]))}]
      (is (= "whole" (wire/text (wire/fetch port "/late"))))
      (let [[message thrown] (next-of logged)]
        (is (str/starts-with? message "GET /late failed"))
        (is (= "mine" thrown))))))

(deftest what-on-close-throws-is-reported
  (let [logged (LinkedBlockingQueue.)]
    (serving [port (fn [request]
                     (as-channel request {:on-open (fn [ch] (when (= "/server" (:uri request)) (is (true? (send! ch "x")))))
                                          :on-close (fn [_ _] (throw (IllegalStateException. "mine")))}))
              {:error-logger (fn [message thrown] (.add logged [message (ex-message thrown)]))}]
      (is (= "x" (wire/text (wire/fetch port "/server"))))
      (let [[message thrown] (next-of logged)]
        (is (str/starts-with? message "GET /server failed"))
        (is (= "mine" thrown)))
      (with-open [socket (wire/connect port)]
        (wire/write! socket "GET /client HTTP/1.1\nHost: a\n\n"))
      (is (str/starts-with? (str (first (next-of logged))) "GET /client failed")))))

(deftest unknown-callbacks-are-named-once
  (let [warnings (LinkedBlockingQueue.)]
    (serving [port (fn [request]
                     (as-channel request {:on-opne (fn [_]) :on-open (fn [ch] (send! ch "x"))}))
              {:warn-logger (fn [message _] (.add warnings message))}]
      (dotimes [_ 3] (wire/fetch port "/")))
    (is (= 1 (count warnings)))
    (is (re-find #":on-opne.*:on-open" (.poll warnings)))))

(deftest a-body-that-a-channel-cannot-send
  (let [seen (promise)]
    (serving [port (fn [request]
                     (as-channel request {:on-open (fn [ch] (deliver seen (try (send! ch 7 false) (catch IllegalArgumentException _ :refused))))}))
              {:error-logger (fn [_ _])}]
      (is (= 500 (:status (wire/fetch port "/"))))
      (is (= :refused (soon seen))))))

;; From two threads at the same moment, many times, since only some orders are wrong.
(deftest what-was-sent-beside-a-close-arrives
  (let [sent (LinkedBlockingQueue.)]
    (serving [port (fn [{:keys [uri] :as request}]
                     (let [ch (:async-channel request)
                           both (java.util.concurrent.CyclicBarrier. 2)]
                       (when (= "/stream" uri) (send! ch "first " false))
                       (future (.await both) (.add sent [(send! ch "piece" false)]))
                       (future (.await both) (close ch))
                       {:body ch}))]
      (doseq [[path none] {"/response" "" "/stream" "first "}]
        (with-open [socket (wire/connect port)]
          (is (= {} (frequencies
                      (remove nil?
                        (for [_ (range 3000)]
                          (let [_ (wire/write! socket (str "GET " path " HTTP/1.1\nHost: a\n\n"))
                                response (wire/read-response! socket)
                                [accepted] (next-of sent)
                                expected (if accepted [200 (str none "piece")] [(if (= "" none) 204 200) none])
                                received [(:status response) (wire/text response)]]
                            (when (not= expected received) [:send! accepted :received received]))))))
              path))))))

(deftest a-close-does-not-wait-for-a-stream-that-is-being-sent
  (let [reading (promise)
        more (promise)
        sent (promise)]
    (serving [port (fn [request]
                     (as-channel request
                       {:on-open (fn [ch]
                                   (future (deliver sent (send! ch (proxy [java.io.InputStream] []
                                                                     (read ([] (deliver reading true) (soon more) -1)
                                                                           ([_ _ _] (deliver reading true) (soon more) -1))
                                                                     (close []))
                                                                false)))
                                   (soon reading)
                                   (is (true? (close ch))))}))]
      (is (= 204 (:status (wire/fetch port "/"))))
      (deliver more true)
      (is (false? (soon sent))))))

(deftest a-channel-whose-first-piece-cannot-be-sent-is-closed
  (let [attempt (fn [ch closed]
                  [(try (send! ch 42 false) (catch IllegalArgumentException _ :refused))
                   (open? ch) (send! ch "good" false) (send! ch "end") (soon closed)])
        results (LinkedBlockingQueue.)
        logged (LinkedBlockingQueue.)]
    (serving [port (fn [request]
                     (let [ch (:async-channel request)
                           closed (promise)]
                       (on-close ch (fn [status] (deliver closed status)))
                       (if (= "/later" (:uri request))
                         (as-channel request {:on-open (fn [ch] (.add results (attempt ch closed)))})
                         (do (.add results (attempt ch closed)) {:body ch}))))
              {:error-logger (fn [message _] (.add logged message))}]
      (doseq [path ["/now" "/later"]]
        (is (= 500 (:status (wire/fetch port path))) path)
        (is (= [:refused false false false :server-close] (next-of results)) path)
        (is (str/starts-with? (str (next-of logged)) (str "GET " path " failed"))))
      (is (nil? (.poll logged)) "once"))))

(deftest a-channel-is-closed-when-its-handler-has-thrown
  (doseq [[handler opts] [[(fn [_] (throw (IllegalStateException. "mine"))) {}]
                          [(fn [_ _ raise] (raise (IllegalStateException. "mine"))) {:ring-async? true}]]]
    (let [channel (promise)
          closed (promise)]
      (serving [port (fn [request & more]
                       (deliver channel (:async-channel request))
                       (on-close (:async-channel request) (fn [status] (deliver closed status)))
                       (apply handler request more))
                (assoc opts :error-logger (fn [_ _]))]
        (is (= 500 (:status (wire/fetch port "/"))))
        (is (= :server-close (soon closed)))
        (is (false? (send! (soon channel) "nobody gets it" false)))))))

;; Nobody would ever end it.
(deftest a-channel-is-closed-when-its-handler-returns-another-response
  (doseq [opts [{} {:ring-async? true}]
          lines [["X-A: 1"] ["Upgrade: websocket" "Connection: Upgrade" "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==" "Sec-WebSocket-Version: 13"]]]
    (let [channel (promise)
          closed (promise)
          other {:status 404 :body "no"}]
      (serving [port (fn [request & [respond]]
                       (as-channel request {:on-close (fn [_ status] (deliver closed status))})
                       (deliver channel (:async-channel request))
                       (is (true? (open? (:async-channel request))))
                       (if respond (respond other) other))
                opts]
        (with-open [socket (wire/connect port)]
          (wire/write! socket (str "GET / HTTP/1.1\nHost: localhost\n" (apply str (map #(str % "\n") lines)) "\n"))
          (is (= 404 (:status (wire/read-response! socket)))))
        (is (= :server-close (soon closed)))
        (is (false? (open? (soon channel))))
        (is (false? (send! (soon channel) "nobody gets it" false)))))))

(deftest a-channel-over-a-websocket-is-closed-when-its-handler-throws
  (let [channel (promise)
        closed (promise)]
    (serving [port (fn [request]
                     (as-channel request {:on-close (fn [_ status] (deliver closed status))})
                     (deliver channel (:async-channel request))
                     (throw (IllegalStateException. "mine")))
              {:error-logger (fn [_ _])}]
      (with-open [socket (wire/connect port)]
        (wire/write! socket (frames/handshake))
        (is (= 500 (:status (wire/read-response! socket)))))
      (is (= :server-close (soon closed)))
      (is (false? (send! (soon channel) "nobody gets it"))))))

(deftest a-channel-whose-handshake-is-refused-accepts-nothing-more
  (let [channel (promise)
        closed (promise)]
    (serving [port (fn [request]
                     (deliver channel (:async-channel request))
                     (is (true? (send! (:async-channel request) "early")) "nobody knows yet")
                     (as-channel request {:on-close (fn [_ status] (deliver closed status))}))]
      (with-open [socket (wire/connect port)]
        (wire/write! socket (frames/handshake "Origin: https://other.example"))
        (is (= 403 (:status (wire/read-response! socket)))))
      (let [until (+ (System/nanoTime) 15000000000)]
        (while (and (open? (soon channel)) (< (System/nanoTime) until)) (Thread/onSpinWait)))
      (is (false? (open? (soon channel))))
      (is (false? (send! (soon channel) "late")))
      (is (false? (close (soon channel))))
      (is (false? (realized? closed))))))

(deftest a-response-that-a-channel-cannot-send-is-closed-all-the-same
  (let [closed (promise)]
    (serving [port (fn [request]
                     (as-channel request {:on-open (fn [ch] (try (send! ch {:status 700 :body "x"}) (catch IllegalArgumentException _)))
                                          :on-close (fn [_ status] (deliver closed status))}))
              {:error-logger (fn [_ _])}]
      (is (= 500 (:status (wire/fetch port "/"))))
      (is (= :server-close (soon closed))))))

(deftest a-response-that-never-comes
  (let [closes (LinkedBlockingQueue.)]
    (serving [port (fn [request] (as-channel request {:on-close (fn [_ status] (.add closes status))}))
              {:handler-timeout 100}]
      (doseq [connection ["" "Connection: close\n"]]
        (with-open [socket (wire/connect port)]
          (wire/write! socket (str "GET / HTTP/1.1\nHost: a\n" connection "\n"))
          (is (= 504 (:status (wire/read-response! socket))))
          (is (= :server-close (next-of closes))))))))

;; ---- over WebSockets

(deftest a-channel-of-a-websocket
  (let [log (LinkedBlockingQueue.)
        channel (promise)]
    (serving [port (fn [request]
                     (is (true? (:websocket? request)))
                     (as-channel request
                       {:init (fn [ch] (.add log [:init (open? ch)]))
                        :on-open (fn [ch] (deliver channel ch) (.add log :open))
                        :on-receive (fn [ch message]
                                      (.add log (if (string? message) message (vec message)))
                                      (send! ch message))
                        :on-ping (fn [_ data] (.add log [:ping (vec data)]))
                        :on-close (fn [_ status] (.add log [:close status]))}))]
      (with-open [socket (frames/connect port)]
        (is (= [:init true] (next-of log)))
        (is (= :open (next-of log)))
        (let [ch (soon channel)]
          (is (true? (websocket? ch)))
          (frames/send! socket :text "hello")
          (is (= "hello" (next-of log)))
          (is (= [:text "hello"] (frames/read! socket)))
          (frames/send! socket :binary (byte-array [1 2]))
          (is (= [1 2] (next-of log)))
          (is (= [:binary [1 2]] (frames/read! socket)))
          (frames/send! socket :ping (byte-array [7]))
          (is (= [:pong [7]] (frames/read! socket)))
          (is (= [:ping [7]] (next-of log)))
          (is (thrown? IllegalArgumentException (send! ch 7)))
          (is (true? (send! ch (java.io.ByteArrayInputStream. (byte-array [3])))))
          (is (= [:binary [3]] (frames/read! socket)))
          (is (true? (send! ch "bye" true)))
          (is (= [:text "bye"] (frames/read! socket)))
          (is (= [:close 1000] (frames/read! socket)))
          (is (= [:close :server-close] (next-of log)))
          (is (false? (open? ch)))
          (is (false? (send! ch "late")))
          (is (false? (close ch))))))))

(deftest why-a-websocket-was-closed
  (let [closes (LinkedBlockingQueue.)]
    (serving [port (fn [request] (as-channel request {:on-close (fn [_ status] (.add closes status))}))]
      (doseq [[code status] {1000 :normal 1001 :going-away 1002 :protocol-error 1003 :unsupported
                             1007 :invalid-payload-data 1008 :policy-violation 1010 :mandatory-extension
                             1011 :internal-server-error 4000 :unknown}]
        (with-open [socket (frames/connect port)]
          (frames/send! socket :close (byte-array [(unchecked-byte (bit-shift-right code 8)) (unchecked-byte code)]))
          (is (= [:close code] (frames/read! socket)))
          (is (= status (next-of closes)))))
      (with-open [socket (frames/connect port)]
        (frames/send! socket :close (byte-array 0))
        (is (= :no-status-received (next-of closes))))
      (with-open [_ (frames/connect port)])
      (is (= :abnormal (next-of closes))))))

(deftest a-close-code-that-is-never-sent-closes-nothing
  (let [refused [999 1002 1004 1005 1006 1015 1016 2999 5000 65536]
        attempt (fn [ch] (doall (for [code refused]
                                  (try (close ch code "") :closed (catch IllegalArgumentException _ :refused)))))
        early (promise)
        later (promise)]
    (serving [port (fn [request]
                     (let [ch (:async-channel request)]
                       (deliver early (attempt ch))
                       (as-channel request {:on-open (fn [ch]
                                                       (deliver later (attempt ch))
                                                       (close ch 1001 "mine"))})))]
      (with-open [socket (frames/connect port)]
        (is (= (map (constantly :refused) refused) (soon early)))
        (is (= (map (constantly :refused) refused) (soon later)))
        (is (= [:close 1001] (frames/read! socket)))))))

(deftest callbacks-that-are-set-by-themselves
  (let [log (LinkedBlockingQueue.)]
    (serving [port (fn [request]
                     (let [ch (:async-channel request)]
                       (on-receive ch (fn [message] (.add log message)))
                       (on-ping ch (fn [data] (.add log (vec data))))
                       (on-close ch (fn [status] (.add log status)))
                       {:body ch}))]
      (with-open [socket (frames/connect port)]
        (frames/send! socket :text "hello")
        (frames/send! socket :ping (byte-array [1]))
        (frames/send! socket :close (byte-array [3 -24]))
        (is (= ["hello" [1] :normal] (repeatedly 3 #(next-of log))))))))

(deftest messages-before-the-socket-is-open
  (serving [port (fn [request]
                   (let [response (as-channel request {:on-receive send!})]
                     (send! (:body response) "one")
                     (send! (:body response) "two")
                     response))]
    (with-open [socket (frames/connect port)]
      (is (= [[:text "one"] [:text "two"]] [(frames/read! socket) (frames/read! socket)])))))

(deftest what-is-sent-before-the-handler-returns-is-bounded
  (let [piece (apply str (repeat 1000 "x"))]
    (serving [port (fn [request]
                     (let [ch (:async-channel request)
                           n (count (take-while true? (repeatedly #(send! ch piece false))))]
                       (is (<= 10 n 11))
                       (on-close ch (fn [_]))
                       {:body ch}))
              {:max-pending 10000}]
      (with-open [socket (frames/connect port)]
        (is (= [:text piece] (frames/read! socket)))))))

(deftest a-channel-stays-open-with-a-nil
  (serving [port (fn [request]
                   (as-channel request {:on-open (fn [ch] (send! ch "a" nil) (send! ch "b" false) (send! ch "c" true))}))]
    (is (= "abc" (wire/text (wire/fetch port "/"))))))

(deftest pieces-that-are-sequences-and-files
  (let [file (java.io.File/createTempFile "piece" ".txt")]
    (try
      (spit file "in a file ")
      (serving [port (fn [request]
                       (as-channel request {:on-open (fn [ch]
                                                       (send! ch (map str [1 2 " "]) false)
                                                       (send! ch ["a" nil "b "] false)
                                                       (send! ch file false)
                                                       (send! ch (list "end")))}))]
        (is (= "12 ab in a file end" (wire/text (wire/fetch port "/")))))
      (finally (.delete file)))))

(deftest a-socket-goes-on-when-a-callback-throws
  (let [logged (LinkedBlockingQueue.)]
    (serving [port (fn [request]
                     (as-channel request {:on-receive (fn [ch message]
                                                        (if (= "bad" message) (throw (IllegalStateException. "mine")) (send! ch message)))}))
              {:error-logger (fn [message thrown] (.add logged [message (ex-message thrown)]))}]
      (with-open [socket (frames/connect port)]
        (frames/send! socket :text "bad")
        (is (= ["a channel's on-receive threw" "mine"] (next-of logged)))
        (frames/send! socket :text "good")
        (is (= [:text "good"] (frames/read! socket)))))))

(deftest a-socket-is-closed-with-a-code
  (serving [port (fn [request]
                   (let [ch (:async-channel request)]
                     (if (= "early" (:query-string request))
                       (close ch 4001 "early")
                       (on-receive ch (fn [_] (close ch 4002 "late"))))
                     (is (thrown? IllegalArgumentException (close ch 1002 "")))
                     {:body ch}))]
    (with-open [socket (frames/connect port)]
      (frames/send! socket :text "x")
      (is (= [:close 4002] (frames/read! socket))))))

(deftest the-limit-of-a-message
  (let [closed (promise)]
    (serving [port (fn [request] (as-channel request {:on-receive send! :on-close (fn [_ status] (deliver closed status))}))
              {:max-ws 1000}]
      (with-open [socket (frames/connect port)]
        (frames/send! socket :binary (byte-array 999))
        (is (= 999 (count (second (frames/read! socket)))))
        (frames/send! socket :binary (byte-array 1000))
        (is (= 1000 (count (second (frames/read! socket)))))
        (frames/send! socket :binary (byte-array 1001))
        (is (= [:close 1009] (frames/read! socket)))
        (is (= :message-too-big (soon closed)))))))
