;; SPDX-License-Identifier: Apache-2.0
(ns sirocco.ring.tls-test
  "HTTPS, and certificates of clients."
  (:require [clojure.java.io :as io]
            [clojure.test :refer [deftest is]]
            [sirocco.ring :as ring]
            [sirocco.ring.conformance.wire :as wire])
  (:import (java.io File)
           (java.net URI)
           (java.net.http HttpClient HttpRequest HttpResponse$BodyHandlers)
           (java.nio.file Files)
           (java.nio.file.attribute FileAttribute)
           (java.security KeyStore)
           (java.security.cert X509Certificate)
           (javax.net.ssl KeyManagerFactory SSLContext TrustManagerFactory)))

(def ^:private password "changeit")

(defn- keytool [& arguments]
  (let [process (.start (doto (ProcessBuilder. ^java.util.List (into [(str (System/getProperty "java.home") "/bin/keytool")] arguments))
                          (.redirectErrorStream true)))
        said (slurp (.getInputStream process))]
    (when-not (zero? (.waitFor process)) (throw (ex-info said {})))))

(defn- identity-of
  "Makes a key with a certificate of its own. Returns the files of its store and its certificate."
  [^File folder name]
  (let [store (str (io/file folder (str name ".p12")))
        certificate (str (io/file folder (str name ".pem")))]
    (keytool "-genkeypair" "-alias" "it" "-keyalg" "EC" "-storetype" "PKCS12" "-keystore" store "-storepass" password
             "-dname" (str "CN=" name) "-ext" "san=dns:localhost,ip:127.0.0.1" "-validity" "30")
    (keytool "-exportcert" "-rfc" "-alias" "it" "-keystore" store "-storepass" password "-file" certificate)
    {:store store :certificate certificate}))

(defn- load-store ^KeyStore [file]
  (KeyStore/getInstance (io/file file) (.toCharArray ^String password)))

(defn- client
  "Returns a client that trusts the server, with the key of a client if there is one."
  [server client]
  (let [trusted (doto (KeyStore/getInstance "PKCS12")
                  (.load nil nil)
                  (.setCertificateEntry "server" (.getCertificate (load-store (:store server)) "it")))
        trust (doto (TrustManagerFactory/getInstance "PKIX") (.init ^KeyStore trusted))
        keys (when client
               (doto (KeyManagerFactory/getInstance "PKIX")
                 (.init (load-store (:store client)) (.toCharArray ^String password))))]
    (-> (HttpClient/newBuilder)
        (.sslContext (doto (SSLContext/getInstance "TLS")
                       (.init (some-> ^KeyManagerFactory keys .getKeyManagers) (.getTrustManagers trust) nil)))
        (.build))))

(defn- fetch [^HttpClient client port]
  (.body (.send client (.build (HttpRequest/newBuilder (URI. (str "https://localhost:" port "/"))))
                (HttpResponse$BodyHandlers/ofString))))

(defn- handler [request]
  {:body (pr-str [(:scheme request)
                  (some-> ^X509Certificate (:ssl-client-cert request) .getSubjectX500Principal .getName)
                  (contains? request :ssl-client-cert)])})

(deftest https-and-certificates-of-clients
  (let [folder (.toFile (Files/createTempDirectory "ring" (make-array FileAttribute 0)))
        server (identity-of folder "server")
        known (identity-of folder "known")
        stop (ring/run-server handler {:ip "127.0.0.1" :loops 1 :ssl? true :ssl-port 0 :http? false
                                       :keystore (:store server) :key-password password
                                       :client-auth :want :client-ca (:certificate known)})
        port (:local-port (meta stop))]
    (try
      (is (= "[:https nil false]" (fetch (client server nil) port)))
      (is (= "[:https \"CN=known\" true]" (fetch (client server known) port)))
      (finally (stop) (run! io/delete-file (reverse (file-seq folder)))))))

(deftest http-beside-https
  (let [folder (.toFile (Files/createTempDirectory "ring" (make-array FileAttribute 0)))
        server (identity-of folder "server")
        stop (ring/run-server handler {:ip "127.0.0.1" :port 0 :loops 1 :ssl? true :ssl-port 0
                                       :keystore (:store server) :key-password password})]
    (try
      (is (= "[:http nil false]" (wire/text (wire/fetch (:local-port (meta stop)) "/"))))
      (is (= "[:https nil false]" (fetch (client server nil) (:local-ssl-port (meta stop)))))
      (finally (stop) (run! io/delete-file (reverse (file-seq folder)))))))
