;; SPDX-License-Identifier: Apache-2.0
(ns sirocco.ring.large-bodies
  "Streams two gigabytes each way. A program of its own, for a JVM with a small heap."
  (:require [sirocco.ring :as ring]
            [sirocco.ring.conformance.wire :as wire])
  (:import (java.io InputStream OutputStream)))

(set! *warn-on-reflection* true)

(def ^:private size (* 2 1024 1024 1024))

(defn- endless
  "Returns a stream of zeros."
  ^InputStream []
  (let [left (long-array [size])]
    (proxy [InputStream] []
      (read ([] (throw (UnsupportedOperationException.)))
        ([_ _ n]
         (let [n (min (long n) (aget left 0))]
           (aset left 0 (- (aget left 0) n))
           (if (zero? n) -1 (int n))))))))

(defn- drained [^InputStream in] (.transferTo in (OutputStream/nullOutputStream)))

(defn -main []
  (let [stop (ring/run-server (fn [request] {:body (if-let [body (:body request)] (str (drained body)) (endless))})
                              {:port 0 :ip "127.0.0.1" :max-body -1})
        port (:local-port (meta stop))]
    (with-open [socket (wire/connect port)]
      (wire/write! socket "GET / HTTP/1.0\n\n")
      (wire/read-head! socket)
      (println "sent" (drained (.getInputStream socket))))
    (with-open [socket (wire/connect port)]
      (wire/write! socket (str "POST / HTTP/1.1\nHost: a\nContent-Length: " size "\n\n"))
      (.transferTo (endless) (.getOutputStream socket))
      (println "received" (wire/text (wire/read-response! socket))))
    (stop)
    (shutdown-agents)))
