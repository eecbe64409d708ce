;; SPDX-License-Identifier: Apache-2.0
(ns sirocco.ring.conformance.wire
  "A client that sends bytes and reads bytes, for tests that need to know both exactly."
  (:require [clojure.string :as str])
  (:import (java.io ByteArrayOutputStream EOFException InputStream)
           (java.net InetSocketAddress Socket)
           (java.nio.charset StandardCharsets)))

(set! *warn-on-reflection* true)

(def ^:private patience "Milliseconds after which a test gives up." 15000)

(defn connect
  "Returns a socket that is connected to a port of this machine. Close it with with-open."
  ^Socket [port]
  (doto (Socket.)
    (.connect (InetSocketAddress. "127.0.0.1" (int port)) (int patience))
    (.setSoTimeout (int patience))
    (.setTcpNoDelay true)))

(defn bytes-of
  "Returns bytes, or the Latin-1 bytes of a string in which a line ends with \\n alone."
  ^bytes [text]
  (if (bytes? text)
    text
    (.getBytes (str/replace text #"\r?\n" "\r\n") StandardCharsets/ISO_8859_1)))

(defn write!
  "Sends bytes or text, as bytes-of turns it into bytes."
  [^Socket socket & texts]
  (let [out (.getOutputStream socket)]
    (doseq [text texts] (.write out (bytes-of text)))
    (.flush out)))

(defn- read-byte ^long [^InputStream in]
  (let [b (.read in)]
    (when (neg? b) (throw (EOFException. "the server has closed the connection")))
    b))

(defn read-line!
  "Returns the next line, without its end."
  [^Socket socket]
  (let [in (.getInputStream socket)
        line (StringBuilder.)]
    (loop []
      (let [b (read-byte in)]
        (when-not (= b 10)
          (.append line (char b))
          (recur))))
    (str/replace (str line) #"\r$" "")))

(defn read-bytes!
  "Returns the next n bytes."
  ^bytes [^Socket socket n]
  (let [bytes (.readNBytes (.getInputStream socket) (int n))]
    (when (< (alength bytes) (long n)) (throw (EOFException. (str "only " (alength bytes) " of " n " bytes came"))))
    bytes))

(defn- read-chunked! [^Socket socket]
  (let [all (ByteArrayOutputStream.)]
    (loop []
      (let [size (Long/parseLong (first (str/split (read-line! socket) #";")) 16)]
        (when (pos? size)
          (.write all (read-bytes! socket size))
          (read-line! socket)
          (recur))))
    (loop [] (when-not (= "" (read-line! socket)) (recur)))
    (.toByteArray all)))

(defn read-head!
  "Returns :status, :headers (names in lower case, values as vectors) and :lines of a response."
  [socket]
  (let [first-line (read-line! socket)
        lines (loop [lines []]
                (let [line (read-line! socket)]
                  (if (= "" line) lines (recur (conj lines line)))))]
    {:status (Long/parseLong (subs first-line 9 12))
     :lines (into [first-line] lines)
     :headers (reduce (fn [all line]
                        (let [[name value] (str/split line #":\s*" 2)]
                          (update all (str/lower-case name) (fnil conj []) value)))
                      {} lines)}))

(defn header
  "Returns the first value of a header of a response, or nil."
  [response name]
  (first (get-in response [:headers name])))

(defn read-response!
  "Returns a response with its :body as bytes. head? says whether it is one to HEAD."
  ([socket] (read-response! socket false))
  ([^Socket socket head?]
   (let [{:keys [status] :as head} (read-head! socket)
         length (header head "content-length")]
     (assoc head :body
            (cond
              (or head? (< status 200) (#{204 304} status)) (byte-array 0)
              (= "chunked" (header head "transfer-encoding")) (read-chunked! socket)
              length (read-bytes! socket (Long/parseLong length))
              :else (.readAllBytes (.getInputStream socket)))))))

(defn text
  "Returns the body of a response, decoded as UTF-8."
  [response]
  (String. ^bytes (:body response) StandardCharsets/UTF_8))

(defn ended?
  "Returns whether the server has closed the connection and nothing more came before."
  [^Socket socket]
  (try
    (neg? (.read (.getInputStream socket)))
    (catch java.net.SocketException _ true)))

(defn exchange
  "Sends a request over a connection of its own, and returns the response."
  [port request & more]
  (with-open [socket (connect port)]
    (apply write! socket request more)
    (read-response! socket (and (string? request) (str/starts-with? request "HEAD")))))

(defn fetch
  "Sends GET for a path, with further lines of headers, and returns the response."
  [port path & lines]
  (exchange port (str "GET " path " HTTP/1.1\nHost: localhost:" port "\n"
                      (apply str (map #(str % "\n") lines)) "\n")))

(defn post
  "Sends a body to a path, and returns the response."
  [port path body & lines]
  (let [body (if (string? body) (.getBytes ^String body StandardCharsets/UTF_8) body)]
    (exchange port (str "POST " path " HTTP/1.1\nHost: localhost:" port "\nContent-Length: " (alength ^bytes body) "\n"
                        (apply str (map #(str % "\n") lines)) "\n")
              body)))
