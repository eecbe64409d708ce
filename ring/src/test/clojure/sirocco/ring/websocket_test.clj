;; SPDX-License-Identifier: Apache-2.0
(ns sirocco.ring.websocket-test
  "WebSockets of Ring, beyond the conformance suite."
  (:require [clojure.test :refer [deftest is]]
            [ring.websocket.protocols :as protocols]
            [sirocco.ring :as ring]
            [sirocco.ring.conformance.wire :as wire]
            [sirocco.ring.frames :as frames]
            [sirocco.ring.websocket :as ws])
  (:import (java.io IOException)
           (java.nio ByteBuffer)
           (java.util.concurrent CountDownLatch LinkedBlockingQueue TimeUnit)))

(defmacro ^:private serving [[port listener opts] & body]
  `(let [stop# (ring/run-server (fn [_#] {::ws/listener ~listener}) (merge {:port 0 :ip "127.0.0.1" :loops 1} ~opts))
         ~port (:local-port (meta stop#))]
     (try ~@body (finally (stop#)))))

(defn- soon [p] (deref p 15000 :nothing))

(defn- next-of [^LinkedBlockingQueue queue] (or (.poll queue 15 TimeUnit/SECONDS) :nothing))

(defn- bytes-of [^ByteBuffer buffer] (let [bytes (byte-array (.remaining buffer))] (.get buffer bytes) (vec bytes)))

(deftest a-map-of-functions
  (serving [port {:on-open (fn [socket] (ws/send socket "welcome"))
                  :on-message (fn [socket message] (ws/send socket message))}]
    (with-open [socket (frames/connect port)]
      (is (= [:text "welcome"] (frames/read! socket)))
      (frames/send! socket :text "hello")
      (is (= [:text "hello"] (frames/read! socket)))
      (frames/send! socket :binary (byte-array [1 2]))
      (is (= [:binary [1 2]] (frames/read! socket))))))

(deftest what-can-be-sent
  (serving [port {:on-open (fn [socket]
                             (ws/send socket (StringBuilder. "builder"))
                             (ws/send socket (byte-array [1]))
                             (ws/send socket (ByteBuffer/wrap (byte-array [2 3])))
                             (ws/ping socket)
                             (ws/ping socket (ByteBuffer/wrap (byte-array [4])))
                             (ws/pong socket (byte-array [5]))
                             (ws/send socket (try (ws/send socket 7) (catch IllegalArgumentException _ "refused")))
                             (ws/close socket 4001 "enough"))}]
    (with-open [socket (frames/connect port)]
      (is (= [[:text "builder"] [:binary [1]] [:binary [2 3]] [:ping []] [:ping [4]] [:pong [5]] [:text "refused"]
              [:close 4001]]
             (repeatedly 8 #(frames/read! socket)))))))

(deftest a-ping-listener
  (let [log (LinkedBlockingQueue.)]
    (serving [port (reify
                     ws/Listener
                     (on-open [_ _])
                     (on-message [_ _ _])
                     (on-pong [_ _ data] (.add log [:pong (bytes-of data)]))
                     (on-error [_ _ _])
                     (on-close [_ _ code reason] (.add log [:close code reason]))
                     ws/PingListener
                     (on-ping [_ _ data] (.add log [:ping (bytes-of data)])))]
      (with-open [socket (frames/connect port)]
        (frames/send! socket :ping (byte-array [1]))
        (is (= [:pong [1]] (frames/read! socket)) "the server answers")
        (frames/send! socket :pong (byte-array [2]))
        (is (= [[:ping [1]] [:pong [2]]] [(next-of log) (next-of log)])))
      (is (= [:close 1006 ""] (next-of log))))))

(deftest a-ping-gets-one-pong
  (serving [port {:on-ping (fn [socket data]
                             @(future (ws/pong socket data)) ; as listeners of ring-jetty-adapter have to
                             (ws/pong socket data) ; which is one that nobody has asked for
                             (ws/pong socket))}]
    (with-open [socket (frames/connect port)]
      (doseq [data [1 2]]
        (frames/send! socket :ping (byte-array [data]))
        (is (= [[:pong [data]] [:pong [data]] [:pong []]] (repeatedly 3 #(frames/read! socket))))))))

(deftest on-error-is-called-for-what-a-callback-throws
  (let [log (LinkedBlockingQueue.)]
    (serving [port {:on-message (fn [_ _] (throw (IllegalStateException. "mine")))
                    :on-error (fn [_ thrown] (.add log (ex-message thrown)))
                    :on-close (fn [_ code _] (.add log code))}
              {:error-logger (fn [_ _])}]
      (with-open [socket (frames/connect port)]
        (frames/send! socket :text "x")
        (is (= [:close 1011] (frames/read! socket)))
        (frames/send! socket :close (byte-array [3 -13]))
        (is (= ["mine" 1011] [(next-of log) (next-of log)]))))))

(deftest a-send-that-does-not-wait
  (let [log (LinkedBlockingQueue.)
        socket-of (promise)]
    (serving [port {:on-open (fn [socket]
                               (deliver socket-of socket)
                               (dotimes [i 5] (ws/send socket (str i) (fn [] (.add log i)) (fn [e] (.add log e)))))}]
      (with-open [socket (frames/connect port)]
        (is (= (map str (range 5)) (repeatedly 5 #(second (frames/read! socket)))) "in order")
        (is (= (range 5) (repeatedly 5 #(next-of log))))
        (ws/close (soon socket-of))
        (is (= [:close 1000] (frames/read! socket)))
        (ws/send (soon socket-of) "late" (fn [] (.add log :sent)) (fn [e] (.add log e)))
        (is (instance? IOException (next-of log)))
        (is (thrown? IOException (ws/send (soon socket-of) "late")))
        (is (false? (ws/open? (soon socket-of))))))))

(deftest callbacks-may-block-and-keep-their-order
  (let [leave (CountDownLatch. 1)
        log (LinkedBlockingQueue.)]
    (serving [port {:on-message (fn [_ message]
                                  (when (= "0" message) (.await leave))
                                  (.add log message))}]
      (with-open [slow (frames/connect port)
                  other (frames/connect port)]
        (dotimes [i 10] (frames/send! slow :text (str i)))
        (frames/send! other :text "other")
        (is (= "other" (next-of log)) "another client is served meanwhile")
        (.countDown leave)
        (is (= (map str (range 10)) (repeatedly 10 #(next-of log))))))))

(deftest a-client-that-does-not-read-holds-up-its-sender-alone
  (let [sent (promise)
        data (byte-array 100000)]
    (serving [port {:on-message (fn [socket message]
                                  (if (= "flood" message)
                                    (do (dotimes [_ 200] (ws/send socket data)) (deliver sent true))
                                    (ws/send socket message)))}
              {:max-pending 100000}]
      (with-open [slow (frames/connect port)
                  other (frames/connect port)]
        (frames/send! slow :text "flood")
        (frames/send! other :text "hello")
        (is (= [:text "hello"] (frames/read! other)))
        (is (not (realized? sent)))
        (dotimes [_ 200] (is (= 100000 (count (second (frames/read! slow))))))
        (is (true? (soon sent)))))))

(deftest origins
  (let [refused #(try (with-open [_ (frames/connect % "Origin: https://elsewhere.example")] :open)
                      (catch clojure.lang.ExceptionInfo e (:status (ex-data e))))]
    (serving [port {}] (is (= 403 (refused port))))
    (serving [port {} {:ws-origins :any}] (is (= :open (refused port))))
    (serving [port {} {:ws-origins ["https://elsewhere.example"]}] (is (= :open (refused port))))))

(deftest compression
  (doseq [[opts agreed] [[{:ws-compression? true} #"^permessage-deflate"] [{} #"^$"]]]
    (serving [port {} opts]
      (with-open [socket (wire/connect port)]
        (wire/write! socket (frames/handshake "Sec-WebSocket-Extensions: permessage-deflate"))
        (is (re-find agreed (str (wire/header (wire/read-head! socket) "sec-websocket-extensions"))))))))

(deftest no-message-follows-an-exception
  (let [calls (atom [])
        closed (promise)]
    (serving [port {:on-message (fn [_ message] (swap! calls conj message) (throw (IllegalStateException. "first")))
                    :on-error (fn [_ _] (swap! calls conj :error))
                    :on-close (fn [_ code _] (deliver closed code))}]
      (with-open [socket (frames/connect port)]
        (apply wire/write! socket (map #(frames/frame :text %) ["1" "2" "3"]))
        (is (= [:close 1011] (frames/read! socket)))
        (frames/send! socket :close (byte-array [3 -13]))
        (is (= 1011 (soon closed)))
        (is (= ["1" :error] @calls))))))

(deftest a-callback-of-send-that-throws-stops-no-later-message
  (let [failed (atom 0)
        fail (fn [_] (swap! failed inc) (throw (IllegalStateException. "fail")))]
    (serving [port {:on-message (fn [socket _]
                                  (ws/send socket "first" #(throw (IllegalStateException. "succeed")) fail)
                                  (ws/send socket "second" (fn []) fail))}]
      (with-open [socket (frames/connect port)]
        (frames/send! socket :text "go")
        (is (= [:text "first"] (frames/read! socket)))
        (is (= [:text "second"] (frames/read! socket)))
        (is (zero? @failed))))))

(deftest a-silent-client-is-pinged
  (serving [port {} {:ws-idle-timeout 50}]
    (with-open [socket (frames/connect port)]
      (is (= :ping (first (frames/read! socket)))))))

(deftest a-server-that-stops
  (let [closed (promise)
        stop (ring/run-server (fn [_] {::ws/listener {:on-close (fn [_ code _] (deliver closed code))}})
                              {:port 0 :ip "127.0.0.1" :loops 1})]
    (with-open [socket (frames/connect (:local-port (meta stop)))]
      (let [stopped (future (stop :timeout 10000))]
        (is (= [:close 1001] (frames/read! socket)))
        (frames/send! socket :close (byte-array [3 -23]))
        (is (= 1001 (soon closed)))
        (is (nil? (soon stopped)))))))

(deftest listeners-of-ring
  (let [log (LinkedBlockingQueue.)
        errors (LinkedBlockingQueue.)]
    (serving [port (reify
                     protocols/Listener
                     (on-open [_ socket]
                       (.add log [:open (protocols/-open? socket)])
                       (protocols/-send socket "welcome"))
                     (on-message [_ socket message]
                       (protocols/-send-async socket message (fn [] (.add log :sent)) (fn [e] (.add errors e))))
                     (on-pong [_ _ _])
                     (on-error [_ _ _])
                     (on-close [_ _ code _] (.add log [:close code]))
                     protocols/PingListener
                     (on-ping [_ socket data] (.add log :ping) (protocols/-pong socket data) (protocols/-ping socket nil)
                       (protocols/-close socket 1000 "")))]
      (with-open [socket (frames/connect port)]
        (is (= [:open true] (next-of log)))
        (is (= [:text "welcome"] (frames/read! socket)))
        (frames/send! socket :text "hello")
        (is (= [:text "hello"] (frames/read! socket)))
        (is (= :sent (next-of log)))
        (frames/send! socket :ping (byte-array [1]))
        (is (= [[:pong [1]] [:ping []] [:close 1000]] (repeatedly 3 #(frames/read! socket))) "one pong")
        (is (= :ping (next-of log)))
        (is (nil? (.poll errors)))))))

(deftest a-listener-that-is-none
  (let [logged (promise)
        stop (ring/run-server (fn [_] {::ws/listener 7}) {:port 0 :ip "127.0.0.1" :loops 1
                                                           :error-logger (fn [_ e] (deliver logged (ex-message e)))})]
    (try
      (is (= 500 (:status (wire/fetch (:local-port (meta stop)) "/"))))
      (is (re-find #"listener" (soon logged)))
      (finally (stop)))))

(deftest unknown-callbacks-are-named-once
  (let [warnings (LinkedBlockingQueue.)]
    (serving [port {:on-opne (fn [_]) :on-open (fn [socket] (ws/send socket "x"))}
              {:warn-logger (fn [message _] (.add warnings message))}]
      (dotimes [_ 3]
        (with-open [socket (frames/connect port)]
          (is (= [:text "x"] (frames/read! socket))))))
    (is (= 1 (count warnings)))
    (is (re-find #":on-opne.*:on-open" (.poll warnings)))))

(deftest requests-that-ask-for-a-websocket
  (is (true? (ws/upgrade-request? {:headers {"upgrade" "WebSocket" "connection" "keep-alive, Upgrade"}})))
  (is (false? (ws/upgrade-request? {:headers {"connection" "Upgrade"}})))
  (is (true? (ws/websocket-response? {::ws/listener {}})))
  (is (true? (ws/websocket-response? {:ring.websocket/listener {}})))
  (is (false? (ws/websocket-response? {:status 200}))))
