;; SPDX-License-Identifier: Apache-2.0
(ns sirocco.ring.idle-server
  "A server for a JVM of its own. Reads bodies to their end, and answers a message of a WebSocket by its size."
  (:require [sirocco.ring :as ring]
            [sirocco.ring.websocket :as ws])
  (:import (io.sirocco.http Server ServerStats)
           (io.sirocco.ring RingServer)
           (java.io InputStream OutputStream)
           (java.nio ByteBuffer)))

(set! *warn-on-reflection* true)

(defn- handler [request]
  (cond
    (ws/upgrade-request? request)
    {::ws/listener {:on-message (fn [socket ^ByteBuffer message] (ws/send socket (str (.remaining message))))}}

    (= "/channel" (:uri request))
    (ring/as-channel request {:on-open (fn [channel] (ring/send! channel "opened"))})

    :else
    {:body (str (count (:headers request)) " "
                (if-let [^InputStream body (:body request)]
                  (.transferTo body (OutputStream/nullOutputStream))
                  0))}))

(defn -main
  "Prints the port, and the number of connections for each line of the input."
  [transport]
  (let [^RingServer server (ring/run-server #'handler {:port 0 :ip "127.0.0.1" :loops 1 :transport (keyword transport)
                                                       :idle-timeout 600000 :ws-idle-timeout 0 :legacy-return-value? false})]
    (println (ring/server-port server))
    (while (read-line)
      (println (reduce + (map #(.connections (.net ^ServerStats %)) (.stats ^Server (.server server))))))
    @(ring/server-stop! server)
    (shutdown-agents)))
