;; SPDX-License-Identifier: Apache-2.0
(ns sirocco.test-runner
  "Runs tests of clojure.test for JUnit, one by one."
  (:require [clojure.string :as str]
            [clojure.test :as test]
            [sirocco.ring :as ring]
            [sirocco.ring.conformance :as conformance]))

(defn start
  "Starts the adapter for the conformance suite."
  [handler opts]
  (let [stop (ring/run-server handler (merge {:port 0 :ip "127.0.0.1" :loops 1 :transport (keyword (System/getProperty "transport" "auto"))} opts))]
    {:port (:local-port (meta stop)) :stop stop}))

(defn tests
  "Returns the vars of the tests of a namespace."
  [namespace]
  (require namespace)
  (->> (ns-interns namespace) vals (filter (comp :test meta)) (sort-by (comp :line meta))))

(defn missing
  "Returns what a test needs and this machine has not, or nil."
  [v]
  (when (and (:ring (meta v))
             (not (try (requiring-resolve 'compojure.core/routes)
                       (catch java.io.FileNotFoundException _ nil))))
    "Ring and Compojure are not on the class path: install libcompojure-clojure and libservlet-api-java"))

(defn failures
  "Runs a test. Returns what has failed as text, nil if nothing has."
  [v]
  (let [failed (atom [])]
    ;; with-redefs and not binding, for assertions on threads of the server
    (with-redefs [test/report (fn [{:keys [type message expected actual file line]}]
                                (when (#{:fail :error} type)
                                  (swap! failed conj
                                         (str file ":" line " " message
                                              "\n  expected: " (pr-str expected)
                                              "\n    actual: " (if (instance? Throwable actual)
                                                                  (str/join "\n" (cons (str actual) (take 25 (.getStackTrace ^Throwable actual))))
                                                                  (pr-str actual))))))]
      (binding [conformance/*start* start]
        (test/test-vars [v])))
    (when (seq @failed) (str/join "\n" @failed))))
