;; SPDX-License-Identifier: Apache-2.0
(ns sirocco.ring.frames
  "A WebSocket client that sends and reads frames (RFC 6455 5.2)."
  (:require [sirocco.ring.conformance.wire :as wire])
  (:import (java.io ByteArrayOutputStream)))

(def ^:private opcodes {:text 1 :binary 2 :close 8 :ping 9 :pong 10})

(defn handshake
  "Returns the request of a handshake, with further lines of headers."
  [& lines]
  (str "GET /ws HTTP/1.1\nHost: localhost\nUpgrade: websocket\nConnection: Upgrade\n"
       "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\nSec-WebSocket-Version: 13\n"
       (apply str (map #(str % "\n") lines)) "\n"))

(defn connect
  "Returns a socket whose WebSocket is open, after the handshake with further lines of headers."
  [port & lines]
  (let [socket (wire/connect port)]
    (wire/write! socket (apply handshake lines))
    (let [head (wire/read-head! socket)]
      (when-not (= 101 (:status head))
        (.close socket)
        (throw (ex-info "the handshake was refused" head))))
    socket))

(defn frame
  "Returns a message as one masked frame, whose mask is zero."
  ^bytes [type data]
  (let [payload (if (string? data) (.getBytes ^String data "UTF-8") data)
        n (count payload)
        out (ByteArrayOutputStream.)]
    (.write out (int (+ 0x80 (opcodes type))))
    (if (< n 126)
      (.write out (int (+ 0x80 n)))
      (do (.write out (int (+ 0x80 126)))
          (.write out (int (bit-shift-right n 8)))
          (.write out (int (bit-and n 255)))))
    (.write out (byte-array 4))
    (.write out ^bytes payload)
    (.toByteArray out)))

(defn send!
  "Sends a message as one masked frame."
  [socket type data]
  (wire/write! socket (frame type data)))

(defn read!
  "Returns the next frame as [type data]: a string, a vector of bytes, or the code of a close frame."
  [socket]
  (let [[first second] (map #(bit-and 255 %) (wire/read-bytes! socket 2))
        number (fn [bytes] (reduce #(+ (* 256 %1) (bit-and 255 %2)) 0 bytes))
        n (case (int second)
            126 (number (wire/read-bytes! socket 2))
            127 (number (wire/read-bytes! socket 8))
            second)
        payload (wire/read-bytes! socket n)
        type (get (zipmap (vals opcodes) (keys opcodes)) (bit-and 15 first))]
    [type (case type
            :text (String. payload "UTF-8")
            :close (when (<= 2 n) (number (take 2 payload)))
            (vec payload))]))
