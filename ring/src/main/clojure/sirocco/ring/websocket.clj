;; SPDX-License-Identifier: Apache-2.0
(ns sirocco.ring.websocket
  "WebSockets of Ring handlers, in the form of ring.websocket: for programs without Ring on the class
  path, and for what runs with both. Sockets satisfy the protocols of Ring as well when Ring is there.

    (defn app [request]
      (if (ws/upgrade-request? request)
        {::ws/listener {:on-message (fn [socket message] (ws/send socket message))}}
        {:status 426}))"
  (:refer-clojure :exclude [send])
  (:require [clojure.string :as str])
  (:import (io.sirocco.ring RingSocket WebSocketCallbacks)
           (java.io FileNotFoundException)))

(defprotocol Listener
  "Receives what happens on a WebSocket. Calls for one socket never overlap, and may block."
  (on-open [listener socket]
    "Called first.")
  (on-message [listener socket message]
    "Called for each message: a String, or a ByteBuffer.")
  (on-pong [listener socket data]
    "Called for each pong, with a ByteBuffer.")
  (on-error [listener socket throwable]
    "Called when another callback has thrown; the socket is closed with 1011.")
  (on-close [listener socket code reason]
    "Called last, once."))

(defprotocol PingListener
  "Receives pings, which the server has answered already."
  (on-ping [listener socket data]
    "Called for each ping, with a ByteBuffer."))

(extend-type clojure.lang.IPersistentMap
  Listener
  (on-open [m socket] (when-let [f (:on-open m)] (f socket)))
  (on-message [m socket message] (when-let [f (:on-message m)] (f socket message)))
  (on-pong [m socket data] (when-let [f (:on-pong m)] (f socket data)))
  (on-error [m socket throwable] (when-let [f (:on-error m)] (f socket throwable)))
  (on-close [m socket code reason] (when-let [f (:on-close m)] (f socket code reason)))
  PingListener
  (on-ping [m socket data] (when-let [f (:on-ping m)] (f socket data))))

(defn upgrade-request?
  "Returns whether the request asks for a WebSocket."
  [request]
  (let [headers (:headers request)
        has? (fn [value token] (some #(= token (str/trim %)) (str/split (str/lower-case (or value "")) #",")))]
    (boolean (and (has? (get headers "upgrade") "websocket") (has? (get headers "connection") "upgrade")))))

(defn websocket-response?
  "Returns whether the response opens a WebSocket."
  [response]
  (or (contains? response ::listener) (contains? response :ring.websocket/listener)))

(defn open?
  "Returns whether neither side has closed the socket."
  [^RingSocket socket]
  (.isOpen socket))

(defn send
  "Sends a message: text for a CharSequence, binary for a byte[] or ByteBuffer. Waits while the output
  buffer is full, and throws IOException once the socket is closed. With two functions it does not wait,
  and calls (succeed) when the message is accepted, or (fail throwable)."
  ([^RingSocket socket message] (.send socket message))
  ([^RingSocket socket message succeed fail] (.send socket message succeed fail)))

(defn ping
  "Sends a ping with at most 125 bytes of data."
  ([socket] (ping socket nil))
  ([^RingSocket socket data] (.ping socket data)))

(defn pong
  "Sends a pong that nobody has asked for, with at most 125 bytes of data; pings are answered by the
  server."
  ([socket] (pong socket nil))
  ([^RingSocket socket data] (.pong socket data)))

(defn close
  "Closes the socket after the messages sent before, with code 1000 unless another one is given."
  ([socket] (close socket 1000 ""))
  ([^RingSocket socket code reason] (.close socket (int code) reason)))

;; ---- for the adapter

(defn- of-ring
  "Returns the var of ring.websocket.protocols by this name, or nil without Ring 1.11 or later."
  [name]
  (try
    (requiring-resolve (symbol "ring.websocket.protocols" name))
    (catch FileNotFoundException _ nil)))

(def ^:private ring
  "The vars of Ring's protocols and their functions, or nil. Sockets satisfy them from then on."
  (delay
    (when-let [socket (of-ring "Socket")]
      (extend RingSocket
        @socket {:-open? open? :-send send :-ping ping :-pong pong :-close close}
        @(of-ring "AsyncSocket") {:-send-async send})
      (into {:listener (of-ring "Listener") :ping-listener (of-ring "PingListener")}
            (for [name ["on-open" "on-message" "on-pong" "on-error" "on-close" "on-ping"]]
              [(keyword name) (of-ring name)])))))

(defn ^:no-doc prepare
  "Loads the protocols of Ring, if they are on the class path."
  []
  (force ring))

(defn- calls
  "Returns callbacks that call functions of a listener; on-ping is nil if it takes none."
  [listener {:keys [on-open on-message on-pong on-error on-close on-ping]}]
  (reify WebSocketCallbacks
    (open [_ socket] (on-open listener socket))
    (message [_ socket message] (on-message listener socket message))
    (ping [_ socket data] (when on-ping (on-ping listener socket data)))
    (pong [_ socket data] (on-pong listener socket data))
    (error [_ socket thrown] (on-error listener socket thrown))
    (close [_ socket code reason] (on-close listener socket code reason))))

(def ^:private known #{:on-open :on-message :on-ping :on-pong :on-error :on-close})

(defn ^:no-doc callbacks
  "Returns the callbacks of a listener: a map, or what satisfies a Listener of ours or of Ring. Calls unknown
  for a map that has other keys."
  [unknown listener]
  (let [theirs @ring]
    (when (and (map? listener) (not (record? listener)) (not (every? known (keys listener))))
      (unknown "A WebSocket listener" known listener))
    (cond
      (or (map? listener) (satisfies? Listener listener))
      (calls listener {:on-open on-open :on-message on-message :on-pong on-pong :on-error on-error
                       :on-close on-close :on-ping (when (satisfies? PingListener listener) on-ping)})

      (and theirs (satisfies? @(:listener theirs) listener))
      (calls listener (cond-> theirs
                        (not (satisfies? @(:ping-listener theirs) listener)) (dissoc :on-ping)))

      :else
      (throw (IllegalArgumentException.
              (str "A WebSocket listener is a map of functions or satisfies Listener, unlike an object of "
                   (class listener)))))))
