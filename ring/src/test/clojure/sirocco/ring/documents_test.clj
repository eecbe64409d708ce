;; SPDX-License-Identifier: Apache-2.0
(ns sirocco.ring.documents-test
  "Evaluates what docs/ring.md shows."
  (:require [clojure.java.io :as io]
            [clojure.string :as str]
            [clojure.test :refer [deftest is]]
            [sirocco.ring :as ring]
            [sirocco.ring.conformance.wire :as wire]
            [sirocco.ring.frames :as frames]))

(defn- snippets
  "Returns the snippets of the document that begin with what they require."
  []
  (->> (re-seq #"(?s)```clojure\n(\(require.*?)```" (slurp (io/file "../docs/ring.md")))
       (map second)))

(defn- evaluate
  "Evaluates a snippet in a namespace of its own, with any free port. Returns its handler."
  [snippet]
  (let [space (create-ns (gensym "snippet"))]
    (binding [*ns* space]
      (refer-clojure :exclude '[send])
      (load-string (str/replace snippet "8080" "0")))
    @(ns-resolve space 'app)))

(defmacro ^:private serving [[port handler] & body]
  `(let [stop# (ring/run-server ~handler {:port 0 :ip "127.0.0.1" :loops 1})
         ~port (:local-port (meta stop#))]
     (try ~@body (finally (stop#)))))

(defn- the
  "Returns the only snippet that contains a text."
  [text]
  (let [[one & others] (filter #(str/includes? % text) (snippets))]
    (is (and one (nil? others)) text)
    one))

(deftest the-first-example
  (serving [port (evaluate (the "def stop"))]
    (is (= "Hello, /you" (wire/text (wire/fetch port "/you"))))))

(deftest the-example-of-websockets
  (serving [port (evaluate (the "::ws/listener"))]
    (is (= 426 (:status (wire/fetch port "/"))))
    (with-open [socket (frames/connect port)]
      (is (= [:text "welcome"] (frames/read! socket)))
      (frames/send! socket :text "hello")
      (is (= [:text "hello"] (frames/read! socket))))))

(deftest the-example-of-channels
  (serving [port (evaluate (the "as-channel request"))]
    (with-open [socket (wire/connect port)]
      (wire/write! socket "GET / HTTP/1.1\nHost: a\n\n")
      (is (= "text/plain" (wire/header (wire/read-head! socket) "content-type")))
      (is (= ["6" "first "] [(wire/read-line! socket) (wire/read-line! socket)])))))
