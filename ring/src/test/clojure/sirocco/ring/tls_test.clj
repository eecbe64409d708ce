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
           (java.util Base64)
           (javax.net.ssl KeyManagerFactory SSLContext TrustManagerFactory)))

(def ^:private password "changeit")

(defn- keytool [& arguments]
  (let [process (.start (doto (ProcessBuilder. ^java.util.List (into [(str (System/getProperty "java.home") "/bin/keytool")] arguments))
                          (.redirectErrorStream true)))
        said (slurp (.getInputStream process))]
    (when-not (zero? (.waitFor process)) (throw (ex-info said {})))))

(defn- load-store ^KeyStore [file]
  (KeyStore/getInstance (io/file file) (.toCharArray ^String password)))

(defn- identity-of
  "Makes a key with a certificate of its own. Returns the files of its store and its certificate."
  [^File folder name]
  (let [store (str (io/file folder (str name ".p12")))
        certificate (io/file folder (str name ".pem"))]
    (keytool "-genkeypair" "-alias" "it" "-keyalg" "EC" "-storetype" "PKCS12" "-keystore" store "-storepass" password
             "-dname" (str "CN=" name) "-ext" "san=dns:localhost,ip:127.0.0.1" "-validity" "30")
    (spit certificate (str "-----BEGIN CERTIFICATE-----\n"
                           (.encodeToString (Base64/getMimeEncoder) (.getEncoded (.getCertificate (load-store store) "it")))
                           "\n-----END CERTIFICATE-----\n"))
    {:store store :certificate (str certificate)}))

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
        start #(ring/run-server handler (merge {:ip "127.0.0.1" :port 0 :loops 1 :ssl? true :ssl-port 0
                                                :keystore (:store server) :key-password password}
                                               %))]
    (try
      (let [stop (start {:http? false :client-auth :want :client-ca (:certificate known)})
            port (:local-port (meta stop))]
        (try
          (is (= "[:https nil false]" (fetch (client server nil) port)))
          (is (= "[:https \"CN=known\" true]" (fetch (client server known) port)))
          (finally (stop))))
      (let [stop (start {})
            {:keys [local-port local-ssl-port]} (meta stop)]
        (try
          (is (= "[:http nil false]" (wire/text (wire/fetch local-port "/"))))
          (is (= "[:https nil false]" (fetch (client server nil) local-ssl-port)) "beside it")
          (finally (stop))))
      (let [stop (start {:http? false :client-auth :need :client-ca (:certificate known)})
            port (:local-port (meta stop))]
        (try
          (is (thrown? java.io.IOException (fetch (client server nil) port)))
          (is (= "[:https \"CN=known\" true]" (fetch (client server known) port)))
          (finally (stop))))
      (finally (run! io/delete-file (reverse (file-seq folder)))))))
