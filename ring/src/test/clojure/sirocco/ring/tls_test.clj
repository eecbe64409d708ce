;; SPDX-License-Identifier: Apache-2.0
(ns sirocco.ring.tls-test
  "HTTPS, and certificates of clients."
  (:require [clojure.java.io :as io]
            [clojure.string :as str]
            [clojure.test :refer [deftest is]]
            [sirocco.ring :as ring]
            [sirocco.ring.conformance.wire :as wire])
  (:import (io.sirocco.testkit Certificates)
           (java.io File)
           (java.net URI)
           (java.net.http HttpClient HttpRequest HttpResponse$BodyHandlers)
           (java.nio.file Files)
           (java.nio.file.attribute FileAttribute)
           (java.security KeyFactory KeyStore PrivateKey)
           (java.security.cert Certificate CertificateFactory X509Certificate)
           (java.security.spec PKCS8EncodedKeySpec)
           (java.util Base64)
           (javax.net.ssl KeyManagerFactory SSLContext TrustManagerFactory)))

(def ^:private password "changeit")

(defn- load-store ^KeyStore [file]
  (KeyStore/getInstance (io/file file) (.toCharArray ^String password)))

(defn- key-of ^PrivateKey [file]
  (->> (str/replace (slurp file) #"-----[^-]+-----" "")
       (.decode (Base64/getMimeDecoder))
       (PKCS8EncodedKeySpec.)
       (.generatePrivate (KeyFactory/getInstance "EC"))))

(defn- identity-of
  "Makes a key with a certificate. Returns the file of its store, and the certificate of the authority that has signed it."
  [^File folder name]
  (let [authority (Certificates/authority (.toPath folder) (str name "-authority"))
        pair (.sign authority name "EC" (into-array String ["localhost" "127.0.0.1"]))
        chain (with-open [in (io/input-stream (.toFile (.chain pair)))]
                (vec (.generateCertificates (CertificateFactory/getInstance "X.509") in)))
        secret (.toCharArray ^String password)
        store (doto (KeyStore/getInstance "PKCS12")
                (.load nil nil)
                (.setKeyEntry "it" (key-of (.toFile (.key pair))) secret (into-array Certificate chain)))
        file (io/file folder (str name ".p12"))]
    (with-open [out (io/output-stream file)] (.store store out secret))
    {:store (str file) :certificate (str (.authority authority))}))

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
