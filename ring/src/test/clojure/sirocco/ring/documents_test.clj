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
  (serving [port (evaluate (the "; or (stop :timeout 10000)"))]
    (is (= "Hello, /you" (wire/text (wire/fetch port "/you"))))))

(deftest the-program-of-a-project
  (let [[_ pasted] (re-find #"(?s)```clojure\n(\(ns hello.*?)```" (slurp (io/file "../docs/ring.md")))]
    (binding [*ns* *ns*] (load-string (str/replace pasted "8080" "0")))
    (let [stop ((ns-resolve 'hello '-main))]
      (try
        (is (= "Hello, /you" (wire/text (wire/fetch (:local-port (meta stop)) "/you"))))
        (finally (stop))))))

(defn- run-in [folder & command]
  (let [process (.start (doto (ProcessBuilder. ^java.util.List command) (.directory folder) (.redirectErrorStream true)))
        said (slurp (.getInputStream process))]
    (is (zero? (.waitFor process)) said)))

(deftest the-example-of-https
  (let [folder (.toFile (java.nio.file.Files/createTempDirectory "ring" (make-array java.nio.file.attribute.FileAttribute 0)))
        [_ command] (re-find #"(?s)```sh\n(openssl .*?)```" (slurp (io/file "../docs/ring.md")))
        in-folder #(str (io/file folder %))
        snippet (reduce (fn [text [from to]] (str/replace text (pr-str from) (pr-str to)))
                        (str/replace (the ":ssl? true") "8443" "0")
                        {"cert.pem" (in-folder "cert.pem") "key.pem" (in-folder "key.pem")})]
    (try
      (run-in folder "sh" "-c" command)
      (let [space (create-ns (gensym "snippet"))]
        (binding [*ns* space]
          (refer-clojure)
          (load-string (str/replace snippet "8080" "0")))
        (let [stop @(ns-resolve space 'stop)
              context (doto (javax.net.ssl.SSLContext/getInstance "TLS")
                        (.init nil
                               (.getTrustManagers
                                (doto (javax.net.ssl.TrustManagerFactory/getInstance "PKIX")
                                  (.init (doto (java.security.KeyStore/getInstance "PKCS12")
                                           (.load nil nil)
                                           (.setCertificateEntry
                                            "it"
                                            (with-open [in (io/input-stream (in-folder "cert.pem"))]
                                              (.generateCertificate (java.security.cert.CertificateFactory/getInstance "X.509") in)))))))
                               nil))
              client (.build (.sslContext (java.net.http.HttpClient/newBuilder) context))
              url (str "https://localhost:" (:local-ssl-port (meta stop)) "/")]
          (try
            (is (= "https" (.body (.send client (.build (java.net.http.HttpRequest/newBuilder (java.net.URI. url)))
                                         (java.net.http.HttpResponse$BodyHandlers/ofString)))))
            (finally (stop)))))
      (finally (run! io/delete-file (reverse (file-seq folder)))))))

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
