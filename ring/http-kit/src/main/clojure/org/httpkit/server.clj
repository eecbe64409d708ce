;; SPDX-License-Identifier: Apache-2.0
(ns org.httpkit.server
  "The names of http-kit's server over sirocco.ring, for programs and libraries that require them. What is
  different: docs/ring.md, \"From http-kit\"."
  (:require [sirocco.ring :as ring]
            [sirocco.ring.options :as options])
  (:import (io.sirocco.ring RingChannel)
           (java.security MessageDigest)
           (java.util Base64)
           (java.util.concurrent ArrayBlockingQueue Executors ThreadPoolExecutor TimeUnit)
           (org.httpkit.server AsyncChannel)))

(set! *warn-on-reflection* true)

(defprotocol Channel
  "A channel to a client, over HTTP or a WebSocket: see the functions of sirocco.ring by the same names."
  (open? [ch] "Returns whether data can be sent.")
  (websocket? [ch] "Returns whether it is one of a WebSocket.")
  (close [ch] [ch code reason] "Closes it, a WebSocket with a code and a reason. Returns true the first time.")
  (send! [ch data] [ch data close-after-send?] "Sends data. Returns false if the channel is closed.")
  (on-receive [ch callback] "Sets the function that is called with each message.")
  (on-ping [ch callback] "Sets the function that is called with the data of each ping.")
  (on-close [ch callback] "Sets the function that is called once with a status when it has closed."))

(doseq [type [AsyncChannel RingChannel]] ; the latter of servers that sirocco.ring has started
  (extend type
    Channel
    {:open? ring/open?
     :websocket? ring/websocket?
     :close ring/close
     :send! ring/send!
     :on-receive ring/on-receive
     :on-ping ring/on-ping
     :on-close ring/on-close}))

(defn run-server
  "Starts a server: see sirocco.ring/run-server."
  ([handler] (run-server handler nil))
  ([handler opts]
   (ring/run-server handler (if (or (nil? opts) (map? opts))
                              (assoc opts ::options/channel-view #(AsyncChannel. %))
                              opts))))

(defn server-port "Returns the port of a server." [server] (ring/server-port server))

(defn server-status "Returns :running, :stopping or :stopped." [server] (ring/server-status server))

(defn server-stop!
  "Stops a server: see sirocco.ring/server-stop!."
  ([server] (ring/server-stop! server))
  ([server opts] (ring/server-stop! server opts)))

(defn server-join "Waits until a server has stopped." [server] (ring/server-join server))

(defn as-channel
  "Returns a response that is sent by the channel of the request: see sirocco.ring/as-channel."
  [request callbacks]
  (ring/as-channel request callbacks))

(defmacro with-channel
  "Deprecated: use as-channel. Runs the body with ch-name bound to the channel of the request, and returns a
  response that is sent by it."
  {:deprecated "2.4.0"}
  [request ch-name & body]
  `(let [~ch-name (:async-channel ~request)]
     ~@body
     {:body ~ch-name}))

;; ---- workers

(defn new-worker
  "Returns :pool, :type and :n-cores of a pool to run handlers on, for :worker-pool. With :allow-virtual?
  false it has platform threads: :n-threads, or :n-min-threads (the number of cores) to :n-max-threads (16
  times as many), and a queue of :queue-size (20480). A server does not end it."
  [{:keys [n-threads n-min-threads n-max-threads queue-size allow-virtual?]
    :or {queue-size 20480 allow-virtual? true}}]
  (let [n-cores (.availableProcessors (Runtime/getRuntime))]
    (if allow-virtual?
      {:pool (Executors/newVirtualThreadPerTaskExecutor) :type :virtual :n-cores n-cores}
      (let [least (long (or n-threads n-min-threads n-cores))
            most (max least (long (or n-threads n-max-threads (* 16 n-cores))))]
        {:pool (ThreadPoolExecutor. least most 60 TimeUnit/SECONDS (ArrayBlockingQueue. queue-size))
         :type :platform
         :n-cores n-cores}))))

;; ---- handshakes

(def ^:private ^String guid "Of RFC 6455 1.3." "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")

(defn sec-websocket-accept
  "Returns the value of Sec-WebSocket-Accept for a key (RFC 6455 4.2.2)."
  [key]
  (.encodeToString (Base64/getEncoder)
                   (.digest (MessageDigest/getInstance "SHA-1") (.getBytes (str key guid) "ISO-8859-1"))))

(defn websocket-handshake-check
  "Returns the value of Sec-WebSocket-Accept if the request is a valid handshake, otherwise nil. The server
  makes its own check when it opens a WebSocket."
  [{:keys [headers request-method]}]
  (let [key (get headers "sec-websocket-key")
        bytes (try (some->> ^String key (.decode (Base64/getDecoder))) (catch IllegalArgumentException _ nil))]
    (when (and (= :get request-method)
               (some->> (get headers "upgrade") (re-find #"(?i)(^|,)\s*websocket\s*(,|$)"))
               (= "13" (get headers "sec-websocket-version"))
               (= 16 (count bytes)))
      (sec-websocket-accept key))))
