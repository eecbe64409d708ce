;; SPDX-License-Identifier: Apache-2.0
(ns org.httpkit.server-test
  "A program that is written for http-kit."
  (:require [clojure.edn :as edn]
            [clojure.java.io :as io]
            [clojure.test :refer [deftest is]]
            [org.httpkit.server :as http-kit]
            [org.httpkit.timer :as timer]
            [sirocco.ring.frames :as frames])
  (:import (java.net URI)
           (java.net.http HttpClient HttpRequest HttpResponse$BodyHandlers WebSocket WebSocket$Listener)
           (java.util.concurrent LinkedBlockingQueue TimeUnit)
           (org.httpkit.server AsyncChannel)))

(defn- fetch [port path]
  (.body (.send (HttpClient/newHttpClient) (.build (HttpRequest/newBuilder (URI. (str "http://127.0.0.1:" port path))))
                (HttpResponse$BodyHandlers/ofString))))

(defmacro ^:private serving [[port handler] & body]
  `(let [stop# (http-kit/run-server ~handler {:port 0 :ip "127.0.0.1" :thread 4})
         ~port (:local-port (meta stop#))]
     (try ~@body (finally (is (nil? (stop# :timeout 100)))))))

(deftest a-handler
  (serving [port (fn [request] {:status 200 :headers {"Content-Type" "text/plain"} :body (:uri request)})]
    (is (= "/a" (fetch port "/a")))))

(deftest the-status-api
  (let [server (http-kit/run-server (fn [_] {:status 200}) {:port 0 :legacy-return-value? false})]
    (is (pos? (http-kit/server-port server)))
    (is (= :running (http-kit/server-status server)))
    (is (true? (deref (http-kit/server-stop! server {:timeout 100}) 15000 :nothing)))
    (is (nil? (http-kit/server-stop! server)))
    (is (nil? (http-kit/server-join server)))
    (is (= :stopped (http-kit/server-status server)))))

(deftest channels
  (let [closed (promise)]
    (serving [port (fn [request]
                     (case (:uri request)
                       "/as" (http-kit/as-channel request {:on-open (fn [ch] (http-kit/send! ch "as-channel"))})
                       "/with" (http-kit/with-channel request ch
                                 (http-kit/on-close ch (fn [status] (deliver closed status)))
                                 (is (satisfies? http-kit/Channel ch))
                                 (is (http-kit/open? ch))
                                 (is (not (http-kit/websocket? ch)))
                                 (http-kit/send! ch {:status 200 :body "with-"} false)
                                 (http-kit/send! ch "channel")
                                 (is (not (http-kit/close ch))))))]
      (is (= "as-channel" (fetch port "/as")))
      (is (= "with-channel" (fetch port "/with")))
      (is (= :server-close (deref closed 15000 :nothing))))))

(deftest a-websocket
  (let [received (LinkedBlockingQueue.)
        closed (promise)]
    (serving [port (fn [request]
                     (is (string? (http-kit/websocket-handshake-check request)))
                     (http-kit/as-channel request
                       {:on-receive (fn [ch message] (http-kit/send! ch (str "echo " message)))
                        :on-close (fn [_ status] (deliver closed status))}))]
      (let [^WebSocket socket (.get (.buildAsync (.newWebSocketBuilder (HttpClient/newHttpClient))
                                                 (URI. (str "ws://127.0.0.1:" port "/"))
                                                 (reify WebSocket$Listener
                                                   (onText [_ socket data _]
                                                     (.add received (str data))
                                                     (.request socket 1)
                                                     nil)))
                                    15 TimeUnit/SECONDS)]
        (.get (.sendText socket "hello" true) 15 TimeUnit/SECONDS)
        (is (= "echo hello" (.poll received 15 TimeUnit/SECONDS)))
        (.get (.sendClose socket 1000 "") 15 TimeUnit/SECONDS)
        (is (= :normal (deref closed 15000 :nothing)))))))

(defprotocol ^:private Closes (close-with [ch code]))

(extend-type org.httpkit.server.AsyncChannel ; as adapters of libraries do
  Closes
  (close-with [ch code] (.serverClose ch code)))

(deftest the-class-of-channels
  (let [closes (LinkedBlockingQueue.)
        checked (fn [ch]
                  (is (instance? AsyncChannel ch))
                  (is (http-kit/open? ch))
                  ch)]
    (serving [port (fn [request]
                     (checked (:async-channel request))
                     (is (identical? (:async-channel request) (:async-channel (assoc request :a 1))))
                     (http-kit/as-channel request
                       {:init checked
                        :on-open (fn [ch]
                                   (checked ch)
                                   (when-not (.isWebSocket ^AsyncChannel ch)
                                     (is (.send ^AsyncChannel ch {:status 201 :body "sent"} true))
                                     (is (.isClosed ^AsyncChannel ch))
                                     (is (not (.serverClose ^AsyncChannel ch 1000)))))
                        :on-receive (fn [ch _] (is (close-with (checked ch) 1013)))
                        :on-close (fn [ch status] (.add closes [(instance? AsyncChannel ch) status]))}))]
      (is (= "sent" (fetch port "/")))
      (is (= [true :server-close] (.poll closes 15 TimeUnit/SECONDS)))
      (with-open [socket (frames/connect port)]
        (frames/send! socket :text "close")
        (is (= [:close 1013] (frames/read! socket))))
      (is (= [true :server-close] (.poll closes 15 TimeUnit/SECONDS))))))

(deftest clj-kondo-knows-the-macros
  (let [export "clj-kondo.exports/io.sirocco/sirocco-http-kit/"
        {{macros :macroexpand} :hooks} (edn/read-string (slurp (io/resource (str export "config.edn"))))
        hook (get macros 'org.httpkit.server/with-channel)]
    (load-string (slurp (io/resource (str export "sirocco/http_kit_macros.clj"))))
    (is (= {:body 7} (eval (list hook {:async-channel 7} 'ch '(inc ch)))))
    (is (true? (:macro (meta (resolve hook)))))))

(deftest the-handshake
  (is (= "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" (http-kit/sec-websocket-accept "dGhlIHNhbXBsZSBub25jZQ==")))
  (let [request {:request-method :get
                 :headers {"upgrade" "websocket" "sec-websocket-key" "dGhlIHNhbXBsZSBub25jZQ==" "sec-websocket-version" "13"}}]
    (is (some? (http-kit/websocket-handshake-check request)))
    (is (nil? (http-kit/websocket-handshake-check (assoc request :request-method :post))))
    (is (nil? (http-kit/websocket-handshake-check (assoc-in request [:headers "sec-websocket-key"] "?"))))))

(deftest workers
  (let [{:keys [pool type n-cores]} (http-kit/new-worker {:n-threads 2 :allow-virtual? false})
        stop (http-kit/run-server (fn [_] {:status 200 :body (str (.isVirtual (Thread/currentThread)))})
                                  {:port 0 :worker-pool pool})]
    (try
      (is (= :platform type))
      (is (pos? n-cores))
      (is (= "false" (fetch (:local-port (meta stop)) "/")))
      (finally (stop) (.shutdownNow pool))))
  (with-open [pool (:pool (http-kit/new-worker {}))]
    (is (some? pool))))

(deftest timers
  (let [ran (promise)]
    (timer/schedule-task 1 (deliver ran true))
    (is (true? (deref ran 15000 :nothing))))
  (let [task (timer/schedule-task 1000000 (throw (AssertionError.)))]
    (is (true? (timer/cancel task)))
    (is (false? (timer/cancel task)))))

(deftest timeouts
  (let [add (fn [a b] (+ a b))]
    (is (= 3 (timer/with-timeout add 1000000 (throw (AssertionError.)) (add 1 2)))))
  (let [passed (promise)
        add (fn [a b] (+ a b))]
    (is (nil? (timer/with-timeout add 1 (deliver passed true)
                (is (true? (deref passed 15000 :nothing)))
                (add 1 2))))))
