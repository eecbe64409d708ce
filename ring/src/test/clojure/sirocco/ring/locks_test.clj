;; SPDX-License-Identifier: Apache-2.0
(ns sirocco.ring.locks-test
  "Locks that the functions of a program take on event loops and on their virtual threads: no loop hangs, and
  each client gets the responses to its own requests, in order."
  (:require [clojure.test :refer [deftest is]]
            [sirocco.ring :as ring :refer [as-channel send!]]
            [sirocco.ring.conformance.wire :as wire]
            [sirocco.ring.frames :as frames]
            [sirocco.ring.websocket :as ws])
  (:import (java.io OutputStream PrintStream)
           (java.net InetAddress Socket)
           (java.util.concurrent Executor)
           (java.util.concurrent.locks ReentrantLock)))

(set! *warn-on-reflection* true)

(def ^:private clients 16)
(def ^:private turns 12)

;; ---- a program that holds a lock whenever it is called

(defn- respond-to [request under sends]
  (case (:uri request)
    "/ws" {::ws/listener
           {:on-open (fn [socket]
                       (under #(swap! sends assoc socket (fn [text] (ws/send socket text (fn []) (fn [_]))))))
            :on-message (fn [socket message] (under #(ws/send socket message)))
            :on-close (fn [socket _ _] (under #(swap! sends dissoc socket)))}}
    "/channel" (as-channel request
                 {:on-open (fn [ch]
                             (under #(send! ch "channel " false))
                             (under #(send! ch (:query-string request))))
                  :on-close (fn [_ _] (under #(doseq [send (vals @sends)] (send "closed"))))})
    {:body (str "plain " (:query-string request))}))

(defn- sync-handler [under sends]
  (fn [request] (under #(respond-to request under sends))))

(defn- async-handler [under sends]
  (fn [request respond _] (under #(respond (respond-to request under sends)))))

(defn- pool
  "Runs every second handler on the thread that has read the request, which is the loop's own."
  []
  (let [n (atom 0)]
    (reify Executor
      (execute [_ task]
        (if (even? (long (swap! n inc))) (.run task) (Thread/startVirtualThread task))))))

(def ^:private servers
  {"sync" [sync-handler (fn [] {})]
   "async" [async-handler (fn [] {:ring-async? true})]
   "a pool" [async-handler (fn [] {:ring-async? true :worker-pool (pool)})]})

;; ---- clients

(defn- talk [port client]
  (with-open [http (wire/connect port)
              ^Socket socket (frames/connect port)]
    (dotimes [turn turns]
      (let [turn (str client "." turn)]
        (frames/send! socket :text turn)
        (doseq [kind ["plain" "channel"]]
          (wire/write! http (str "GET /" kind "?" turn " HTTP/1.1\nHost: a\n\n"))
          (is (= (str kind " " turn) (wire/text (wire/read-response! http)))))
        (is (= [:text turn] (first (remove #{[:text "closed"]} (repeatedly #(frames/read! socket))))))))))

(defn- talk-at-once [port]
  (let [all (mapv #(future (talk port %)) (range clients))]
    (when (deref (future (run! deref all)) 15000 true)
      (throw (ex-info "clients were not answered" {})))))

(defn- check [under]
  (doseq [transport [:io-uring :nio]
          [mode [handler opts]] servers]
    (let [completed (atom 0)
          sends (atom {})
          stop (ring/run-server (handler under sends)
                                (merge {:port 0 :ip "127.0.0.1" :loops 2 :transport transport
                                        :event-logger (fn [_] (under #(swap! completed inc)))
                                        :trusted-proxies (fn [^InetAddress _] (under (constantly false)))}
                                       (opts)))]
      (try
        (talk-at-once (:local-port (meta stop)))
        (finally ; a loop that hangs never stops
          (is (nil? (deref (future (stop)) 5000 :hangs)) (str transport " " mode))))
      (is (= (* clients (inc (* 2 turns))) @completed) (str transport " " mode))
      (is (= {} @sends) (str transport " " mode)))))

;; ---- locks: functions that call a function while they hold one, and return what it returns

(deftest a-monitor
  (let [lock (Object.)]
    (check (fn [f] (locking lock (f))))))

(deftest a-reentrant-lock
  (let [lock (ReentrantLock.)]
    (check (fn [f]
             (.lock lock)
             (try (f) (finally (.unlock lock)))))))

(deftest the-lock-of-a-print-stream
  (let [out (PrintStream. (OutputStream/nullOutputStream))] ; as System/out is one
    (check (fn [f]
             (let [result (volatile! nil)]
               (.format out "%s" (object-array [(reify Object (toString [_] (vreset! result (f)) ""))]))
               @result)))))

(deftest an-atom-that-is-tried-again-and-again
  (let [owner (atom nil)]
    (check (fn [f]
             (let [me (Thread/currentThread)]
               (if (identical? me @owner) ; send! calls on-close
                 (f)
                 (do (while (not (compare-and-set! owner nil me)) (Thread/yield))
                     (try (f) (finally (reset! owner nil))))))))))
