;; SPDX-License-Identifier: Apache-2.0
(ns sirocco.ring.conformance
  "Tests of a Ring adapter, over real sockets, which run against any adapter through one function:

    (conformance/run (fn [handler opts]
                       (let [server (run-jetty handler (assoc opts :port 0 :join? false))]
                         {:port (.getLocalPort (first (.getConnectors server))) :stop #(.stop server)})))

  Of opts, the function must honour :async?, which asks for a handler of three arguments. It may leave a
  feature out: run takes a set of those to skip, by the metadata of the tests (:async, :websocket,
  :streaming, and :safety for what Ring does not ask for). The tests are those of clojure.test, and each is an ordinary deftest."
  (:require [clojure.java.io :as io]
            [clojure.string :as str]
            [clojure.test :refer [deftest is testing]]
            [sirocco.ring.conformance.wire :as wire])
  (:import (java.io ByteArrayInputStream File InputStream PipedInputStream PipedOutputStream)
           (java.net URI)
           (java.net.http HttpClient WebSocket WebSocket$Listener)
           (java.nio ByteBuffer)
           (java.nio.charset StandardCharsets)
           (java.security.cert X509Certificate)
           (java.util.concurrent CompletableFuture LinkedBlockingQueue TimeUnit)))

(def ^:dynamic *start*
  "Starts a server: (fn [handler opts]), returning :port and :stop."
  nil)

(defn request-problems
  "Returns what Ring does not allow in a request map, as text; nil if it is right."
  [{:keys [server-port server-name remote-addr uri query-string scheme request-method protocol headers body
           content-type content-length character-encoding ssl-client-cert] :as request}]
  (let [name-ok? #(and (string? %) (= % (str/lower-case %)))
        wrong (cond-> []
                (not (map? request)) (conj "the request is no map")
                (not (integer? server-port)) (conj ":server-port is no integer")
                (not (string? server-name)) (conj ":server-name is no string")
                (not (string? remote-addr)) (conj ":remote-addr is no string")
                (not (and (string? uri) (str/starts-with? uri "/"))) (conj ":uri does not begin with a slash")
                (not (or (nil? query-string) (string? query-string))) (conj ":query-string is no string")
                (not (#{:http :https} scheme)) (conj ":scheme is neither :http nor :https")
                (not (and (keyword? request-method) (name-ok? (name request-method)))) (conj ":request-method is no keyword in lower case")
                (not (or (nil? protocol) (string? protocol))) (conj ":protocol is no string")
                (not (and (map? headers) (every? name-ok? (keys headers)) (every? string? (vals headers))))
                (conj ":headers is no map of names in lower case to strings")
                (not (or (nil? body) (instance? InputStream body))) (conj ":body is no InputStream")
                (not (or (nil? content-type) (string? content-type))) (conj ":content-type is no string")
                (not (or (nil? content-length) (integer? content-length))) (conj ":content-length is no integer")
                (not (or (nil? character-encoding) (string? character-encoding))) (conj ":character-encoding is no string")
                (not (or (nil? ssl-client-cert) (instance? X509Certificate ssl-client-cert)))
                (conj ":ssl-client-cert is no X509Certificate"))]
    (when (seq wrong) (str/join ", " wrong))))

(defn- lint
  "Returns the handler behind a check of its requests, and behind Ring's own wrap-lint if that is on the
  class path."
  [handler]
  (let [checked (fn [request]
                  (if-let [problems (request-problems request)]
                    (throw (IllegalArgumentException. ^String problems))
                    (handler request)))]
    (if-let [wrap (try (requiring-resolve 'ring.middleware.lint/wrap-lint)
                       (catch java.io.FileNotFoundException _ nil))]
      (wrap checked)
      checked)))

(defn with-server*
  "Calls f with the port of a server, which is stopped afterwards."
  [handler opts f]
  (let [{:keys [port stop]} (*start* handler opts)]
    (try (f port) (finally (stop)))))

(defmacro with-server
  "Runs the body with port bound to that of a server of the handler."
  [[port handler opts] & body]
  `(with-server* ~handler ~(or opts {}) (fn [~port] ~@body)))

(defn- soon
  "Returns what is delivered, or :nothing after a while."
  [p]
  (deref p 15000 :nothing))

(defn- ok [body] {:status 200 :headers {"Content-Type" "text/plain"} :body body})

;; ---- requests

(defn- request-of
  "Returns the request map that a handler gets for the bytes of a request, its body read."
  [text & more]
  (let [seen (promise)]
    (with-server [port (lint (fn [request]
                               (:remote-addr request) ; a connection that has ended may have none
                               (deliver seen (assoc request :text (some-> ^InputStream (:body request) slurp)))
                               (ok "seen")))]
      (let [response (apply wire/exchange port (str/replace text "{port}" (str port)) more)]
        (is (= 200 (:status response)))
        (assoc (soon seen) ::port port)))))

(deftest the-request-map
  (let [request (request-of "GET /a%20b/c?d=e&f HTTP/1.1\nHost: example.org:{port}\nX-One: 1\n\n")]
    (is (= :get (:request-method request)))
    (is (= "/a%20b/c" (:uri request)) "not decoded")
    (is (= "d=e&f" (:query-string request)))
    (is (= "example.org" (:server-name request)))
    (is (= (::port request) (:server-port request)))
    (is (= "127.0.0.1" (:remote-addr request)))
    (is (= :http (:scheme request)))
    (is (= "HTTP/1.1" (:protocol request)))
    (is (= "1" (get-in request [:headers "x-one"])))
    (is (nil? (get-in request [:headers "X-One"])) "names are in lower case")
    (is (empty? (:text request)))
    (is (map? request))))

(deftest the-query-string-is-nil-without-one
  (is (nil? (:query-string (request-of "GET / HTTP/1.1\nHost: a\n\n")))))

(deftest methods-are-keywords-in-lower-case
  (doseq [method ["GET" "POST" "PUT" "DELETE" "PATCH" "OPTIONS" "PROPFIND" "REPORT"]]
    (is (= (keyword (str/lower-case method))
           (:request-method (request-of (str method " / HTTP/1.1\nHost: a\nContent-Length: 0\n\n")))))))

(deftest lines-of-the-same-header-are-joined
  (let [headers (:headers (request-of "GET / HTTP/1.1\nHost: a\nX-A: 1\nx-a: 2\nCookie: a=1\nCookie: b=2\n\n"))]
    (is (= "1,2" (get headers "x-a")))
    (is (re-matches #"a=1(,|;|; )b=2" (get headers "cookie")))
    (is (every? string? (vals headers)))
    (is (every? #(= % (str/lower-case %)) (keys headers)))))

(deftest a-body-with-a-length
  (let [request (request-of "POST / HTTP/1.1\nHost: a\nContent-Type: text/plain; charset=utf-8\nContent-Length: 5\n\nhello")]
    (is (= "hello" (:text request)))
    (is (= "5" (get-in request [:headers "content-length"])))))

(deftest a-chunked-body
  (is (= "hello world"
         (:text (request-of (str "POST / HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n"
                                 "5\nhello\n6;extension=1\n world\n0\n\n"))))))

(deftest a-chunked-body-that-arrives-byte-by-byte
  (with-server [port (fn [request] (ok (slurp (:body request))))]
    (with-open [socket (wire/connect port)]
      (doseq [c "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n"]
        (wire/write! socket (byte-array [(byte (int c))])))
      (is (= "abcd" (wire/text (wire/read-response! socket)))))))

(deftest a-body-that-nobody-reads
  (with-server [port (fn [_] (ok "done"))]
    (with-open [socket (wire/connect port)]
      (dotimes [_ 3]
        (wire/write! socket "POST / HTTP/1.1\nHost: a\nContent-Length: 5\n\nhello")
        (is (= "done" (wire/text (wire/read-response! socket))))))))

(deftest ^:streaming a-request-body-is-read-while-it-is-sent
  (let [first-byte (promise)]
    (with-server [port (fn [request]
                         (let [^InputStream body (:body request)]
                           (deliver first-byte (.read body))
                           (ok (slurp body))))]
      (with-open [socket (wire/connect port)]
        (wire/write! socket "POST / HTTP/1.1\nHost: a\nContent-Length: 5\n\nh")
        (is (= 104 (soon first-byte)))
        (wire/write! socket "ello")
        (is (= "ello" (wire/text (wire/read-response! socket))))))))

(deftest a-large-body-arrives-whole
  (let [body (byte-array (map unchecked-byte (range 4000000)))]
    (with-server [port (fn [request]
                         (let [all (.readAllBytes ^InputStream (:body request))]
                           (ok (str (java.util.Arrays/equals ^bytes all body)))))]
      (is (= "true" (wire/text (wire/post port "/" body)))))))

(deftest the-request-map-is-a-persistent-map
  (with-server [port (fn [request]
                       (let [more (assoc request :more 1)
                             less (dissoc more :uri)]
                         (ok (pr-str [(:more more) (contains? request :more) (:uri more) (contains? less :uri)
                                      (:request-method less)
                                      (= more (into {} more))
                                      (= (hash more) (hash (into {} more)))
                                      (count (select-keys request [:uri :scheme :none]))
                                      (:tag (meta (with-meta request {:tag 1})))
                                      (get-in (merge request {:headers {"a" "b"}}) [:headers "a"])
                                      (= (set (keys request)) (set (map key request)))
                                      (string? (pr-str (dissoc request :body :async-channel)))]))))]
    (is (= "[1 false \"/x\" false :get true true 2 1 \"b\" true true]" (wire/text (wire/fetch port "/x"))))))

;; ---- responses

(defn- response-of
  "Returns what a client receives for a response map."
  [response & [method]]
  (with-server [port (lint (fn [_] response))]
    (wire/exchange port (str (or method "GET") " / HTTP/1.1\nHost: a\n\n"))))

(deftest the-status-and-the-headers
  (let [response (response-of {:status 201 :headers {"X-One" "1" "Set-Cookie" ["a=1" "b=2"]} :body ""})]
    (is (= 201 (:status response)))
    (is (= ["1"] (get-in response [:headers "x-one"])))
    (is (= ["a=1" "b=2"] (get-in response [:headers "set-cookie"])) "a line for each element")))

(deftest a-body-of-nil
  (let [response (response-of {:status 200 :headers {} :body nil})]
    (is (= "0" (wire/header response "content-length")))))

(deftest a-body-that-is-a-string
  (let [response (response-of {:status 200 :headers {"Content-Type" "text/plain; charset=utf-8"} :body "äö€😀"})]
    (is (= "äö€😀" (wire/text response)))))

(deftest a-body-that-is-a-seq
  (is (= "abc1" (wire/text (response-of {:status 200 :headers {} :body (list "a" "b" "c1")}))))
  (is (= (apply str (range 20000))
         (wire/text (response-of {:status 200 :headers {} :body (map str (range 20000))})))))

(deftest a-body-that-is-an-input-stream-is-closed
  (let [closed (promise)
        stream (fn [size] (proxy [ByteArrayInputStream] [(byte-array size (byte 97))]
                            (close [] (deliver closed true))))]
    (is (= 100000 (alength ^bytes (:body (response-of {:status 200 :headers {} :body (stream 100000)})))))
    (is (true? (soon closed)))))

(deftest an-input-stream-is-closed-after-head
  (let [closed (promise)
        stream (proxy [ByteArrayInputStream] [(byte-array 10)] (close [] (deliver closed true)))]
    (is (= 200 (:status (response-of {:status 200 :headers {} :body stream} "HEAD"))))
    (is (true? (soon closed)))))

(deftest a-body-that-is-a-file
  (let [file (doto (File/createTempFile "ring" ".txt") (.deleteOnExit))]
    (spit file (apply str (repeat 30000 "0123456789")))
    (let [response (response-of {:status 200 :headers {"Content-Type" "text/plain"} :body file})]
      (is (= (slurp file) (wire/text response)))
      (is (= "text/plain" (wire/header response "content-type"))))))

(deftest ^:streaming a-response-body-is-sent-while-it-is-written
  (let [out (PipedOutputStream.)
        in (PipedInputStream. out 65536)]
    (with-server [port (fn [_] {:status 200 :headers {} :body in})]
      (with-open [socket (wire/connect port)]
        (wire/write! socket "GET / HTTP/1.1\nHost: a\n\n")
        (let [written (future (.write out (byte-array 200000 (byte 97))) (.flush out))]
          (is (= 200 (:status (wire/read-head! socket))))
          (is (seq (wire/read-line! socket)) "the first chunk comes before the stream ends")
          (wire/read-bytes! socket 8000)
          (future @written (.close out)))))))

(deftest head-has-no-body
  (with-server [port (lint (fn [_] {:status 200 :headers {} :body "hello"}))]
    (with-open [socket (wire/connect port)]
      (wire/write! socket "HEAD / HTTP/1.1\nHost: a\n\n")
      (is (= 200 (:status (wire/read-response! socket true))))
      (wire/write! socket "GET / HTTP/1.1\nHost: a\n\n")
      (is (= "hello" (wire/text (wire/read-response! socket)))))))

(deftest statuses-without-a-body
  (doseq [status [204 304]]
    (with-server [port (lint (fn [_] {:status status :headers {}}))]
      (with-open [socket (wire/connect port)]
        (dotimes [_ 2]
          (wire/write! socket "GET / HTTP/1.1\nHost: a\n\n")
          (is (= status (:status (wire/read-response! socket)))))))))

(deftest a-wrong-content-length-does-not-break-the-framing
  (with-server [port (fn [_] {:status 200 :headers {"Content-Length" "1"} :body "hello"})]
    (with-open [socket (wire/connect port)]
      (dotimes [_ 2]
        (wire/write! socket "GET / HTTP/1.1\nHost: a\n\n")
        (is (= "hello" (wire/text (wire/read-response! socket))))))))

(deftest a-header-cannot-be-forged
  (doseq [value ["a\r\nX-Forged: 1" "a\nX-Forged: 1" "a\rX-Forged: 1"]]
    (let [response (response-of {:status 200 :headers {"X-One" value} :body ""})]
      (is (nil? (wire/header response "x-forged"))))))

(deftest ^:safety an-exception-becomes-500-without-its-text
  (with-server [port (fn [_] (throw (IllegalStateException. "the secret")))]
    (let [response (wire/fetch port "/")]
      (is (= 500 (:status response)))
      (is (not (str/includes? (str (wire/text response) (:lines response)) "secret"))))))

(deftest keep-alive-and-close
  (with-server [port (fn [_] (ok "hello"))]
    (with-open [socket (wire/connect port)]
      (dotimes [_ 3]
        (wire/write! socket "GET / HTTP/1.1\nHost: a\n\n")
        (is (= "hello" (wire/text (wire/read-response! socket)))))
      (wire/write! socket "GET / HTTP/1.1\nHost: a\nConnection: close\n\n")
      (is (= "hello" (wire/text (wire/read-response! socket))))
      (is (wire/ended? socket)))
    (with-open [socket (wire/connect port)]
      (wire/write! socket "GET / HTTP/1.0\n\n")
      (is (= "hello" (wire/text (wire/read-response! socket))))
      (is (wire/ended? socket)))))

(deftest pipelined-requests-are-answered-in-order
  (with-server [port (fn [request] (ok (:uri request)))]
    (with-open [socket (wire/connect port)]
      (wire/write! socket (apply str (map #(str "GET /" % " HTTP/1.1\nHost: a\n\n") (range 20))))
      (dotimes [i 20]
        (is (= (str "/" i) (wire/text (wire/read-response! socket))))))))

(deftest a-hundred-is-sent-once
  (with-server [port (fn [request] (ok (slurp (:body request))))]
    (with-open [socket (wire/connect port)]
      (wire/write! socket "POST / HTTP/1.1\nHost: a\nContent-Length: 2\nExpect: 100-continue\n\n")
      (is (= 100 (:status (wire/read-head! socket))))
      (wire/write! socket "hi")
      (is (= "hi" (wire/text (wire/read-response! socket)))))))

;; ---- asynchronous handlers

(deftest ^:async respond-from-another-thread
  (with-server [port (fn [request respond _raise] (future (respond (ok (:uri request))))) {:async? true}]
    (is (= "/later" (wire/text (wire/fetch port "/later"))))))

(deftest ^:async raise-becomes-500
  (with-server [port (fn [_ _ raise] (future (raise (IllegalStateException. "the secret")))) {:async? true}]
    (is (= 500 (:status (wire/fetch port "/"))))))

(deftest ^:async ^:safety what-is-raised-is-not-told
  (with-server [port (fn [_ _ raise] (future (raise (IllegalStateException. "the secret")))) {:async? true}]
    (is (not (str/includes? (wire/text (wire/fetch port "/")) "secret")))))

(deftest ^:async a-handler-that-throws-has-raised
  (with-server [port (fn [_ _ _] (throw (IllegalStateException. "the secret"))) {:async? true}]
    (is (= 500 (:status (wire/fetch port "/"))))))

(deftest ^:async the-first-outcome-wins
  (with-server [port (fn [_ respond raise]
                       (respond (ok "first"))
                       (respond (ok "second"))
                       (raise (IllegalStateException. "third")))
                {:async? true}]
    (with-open [socket (wire/connect port)]
      (dotimes [_ 3]
        (wire/write! socket "GET / HTTP/1.1\nHost: a\n\n")
        (is (= "first" (wire/text (wire/read-response! socket))))))))

(deftest ^:async an-asynchronous-body
  (with-server [port (fn [_ respond _]
                       (future (respond {:status 200 :headers {} :body (ByteArrayInputStream. (byte-array 50000))})))
                {:async? true}]
    (is (= 50000 (alength ^bytes (:body (wire/fetch port "/")))))))

;; ---- WebSockets

(defn- client
  "Opens a WebSocket, and returns it with the queue of what it receives."
  [port & subprotocols]
  (let [events (LinkedBlockingQueue.)
        parts (StringBuilder.)
        listener (reify WebSocket$Listener
                   (onText [_ socket data last]
                     (.append parts data)
                     (when last
                       (.add events (str parts))
                       (.setLength parts 0))
                     (.request socket 1)
                     nil)
                   (onBinary [_ socket data _]
                     (let [bytes (byte-array (.remaining data))]
                       (.get data bytes)
                       (.add events (vec bytes)))
                     (.request socket 1)
                     nil)
                   (onPing [_ socket data]
                     (.add events [:ping (str (.decode StandardCharsets/UTF_8 data))])
                     (.request socket 1)
                     nil)
                   (onPong [_ socket data]
                     (.add events [:pong (str (.decode StandardCharsets/UTF_8 data))])
                     (.request socket 1)
                     nil)
                   (onClose [_ _ code reason]
                     (.add events [:close code reason])
                     nil)
                   (onError [_ _ thrown] (.add events [:error (str thrown)])))
        builder (.newWebSocketBuilder (HttpClient/newHttpClient))]
    (when (seq subprotocols)
      (.subprotocols builder (first subprotocols) (into-array String (rest subprotocols))))
    {:socket (.get (.buildAsync builder (URI. (str "ws://127.0.0.1:" port "/")) listener) 15 TimeUnit/SECONDS)
     :events events}))

(defn- event [{:keys [^LinkedBlockingQueue events]}] (or (.poll events 15 TimeUnit/SECONDS) :nothing))

(defn- say [{:keys [^WebSocket socket]} ^String text]
  (.get ^CompletableFuture (.sendText socket text true) 15 TimeUnit/SECONDS))

(defn- hang-up [{:keys [^WebSocket socket]} code ^String reason]
  (.get ^CompletableFuture (.sendClose socket (int code) reason) 15 TimeUnit/SECONDS))

(deftest ^:websocket a-listener-is-called-in-order
  (let [log (LinkedBlockingQueue.)]
    (with-server [port (fn [_]
                         {:ring.websocket/listener
                          {:on-open (fn [_] (.add log [:open]))
                           :on-message (fn [_ message]
                                         (.add log [:message (if (string? message)
                                                               message
                                                               (.remaining ^ByteBuffer message))]))
                           :on-pong (fn [_ data] (.add log [:pong (.remaining ^ByteBuffer data)]))
                           :on-close (fn [_ code reason] (.add log [:close code reason]))}})]
      (let [{:keys [^WebSocket socket] :as peer} (client port)]
        (say peer "one")
        (.get (.sendBinary socket (ByteBuffer/wrap (byte-array 3)) true) 15 TimeUnit/SECONDS)
        (.get (.sendPong socket (ByteBuffer/wrap (byte-array 2))) 15 TimeUnit/SECONDS)
        (say peer "two")
        (hang-up peer 1000 "done")
        (is (= [[:open] [:message "one"] [:message 3] [:pong 2] [:message "two"] [:close 1000 "done"]]
               (repeatedly 6 #(or (.poll log 15 TimeUnit/SECONDS) :nothing))))))))

(deftest ^:websocket a-request-that-is-no-handshake-is-refused
  (with-server [port (fn [_] {:ring.websocket/listener {}})]
    (is (<= 400 (:status (wire/fetch port "/")) 499))))

(deftest ^:websocket a-ping-is-answered
  (with-server [port (fn [_] {:ring.websocket/listener {}})]
    (let [{:keys [^WebSocket socket] :as peer} (client port)]
      (.get (.sendPing socket (ByteBuffer/wrap (.getBytes "hi"))) 15 TimeUnit/SECONDS)
      (is (= [:pong "hi"] (event peer)))
      (hang-up peer 1000 ""))))

(deftest ^:websocket the-subprotocol
  (with-server [port (fn [_] {:ring.websocket/listener {} :ring.websocket/protocol "chat"})]
    (let [{:keys [^WebSocket socket] :as peer} (client port "other" "chat")]
      (is (= "chat" (.getSubprotocol socket)))
      (hang-up peer 1000 ""))))

;; ---- running

(defn tests
  "Returns the vars of the tests, without those whose metadata has one of the features to skip."
  [skip]
  (->> (ns-interns 'sirocco.ring.conformance)
       vals
       (filter (comp :test meta))
       (remove (fn [v] (some #(get (meta v) %) skip)))
       (sort-by (comp :line meta))))

(defn run
  "Runs the tests against an adapter, and prints what fails. Returns the numbers of :test, :pass, :fail and
  :error, as clojure.test/run-tests does."
  ([start] (run start #{}))
  ([start skip]
   (binding [*start* start
             clojure.test/*report-counters* (ref clojure.test/*initial-report-counters*)]
     (clojure.test/test-vars (tests skip))
     (doto (assoc @clojure.test/*report-counters* :type :summary) clojure.test/do-report))))
