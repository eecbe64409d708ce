;; SPDX-License-Identifier: Apache-2.0
(ns sirocco.ring.program-test
  "Servers in programs of their own: in a REPL, and with few file descriptors."
  (:require [clojure.java.io :as io]
            [clojure.string :as str]
            [clojure.test :refer [deftest is testing]]
            [sirocco.ring :as ring]
            [sirocco.ring.conformance.wire :as wire])
  (:import (java.io BufferedReader File)
           (java.net Socket)
           (java.nio.file Files)
           (java.nio.file.attribute FileAttribute)
           (java.util.concurrent TimeUnit)
           (java.util.jar JarEntry JarOutputStream)))

(def ^:private java (str (io/file (System/getProperty "java.home") "bin" "java")))

(def ^:private options
  ["-XX:+UseSerialGC" "-XX:TieredStopAtLevel=1" "-Xmx128m" "--add-opens=java.base/java.lang=ALL-UNNAMED" "--enable-native-access=ALL-UNNAMED"])

(defn- class-path
  "Returns what a program needs: this adapter, Clojure, and the client of the tests."
  []
  (->> (str/split (System/getProperty "java.class.path") (re-pattern File/pathSeparator))
       (filter #(re-find #"/(net|http|ring|ring/conformance)/target/(test-)?classes/?$|/(sirocco-[a-z-]+|clojure|spec\.alpha|core\.specs\.alpha)-[^/]*\.jar$" %))))

(defn- start ^Process [command]
  (.start (doto (ProcessBuilder. ^java.util.List command)
            (.redirectError (java.lang.ProcessBuilder$Redirect/INHERIT)))))

(defn- say! [^Process process text]
  (doto (.outputWriter process) (.write (str text "\n")) (.flush)))

(defn- next-line
  "Returns what the program prints next, behind the prompts of the REPL."
  [^BufferedReader out]
  (some-> (.readLine out) (str/replace #"^(user=> )+" "")))

(defmacro ^:private running
  "Runs the body with a program, which ends behind it."
  [[process command] & body]
  `(let [~process (start ~command)]
     (try ~@body
          (finally
            (.close (.outputWriter ~process))
            (when-not (.waitFor ~process 15 TimeUnit/SECONDS)
              (.waitFor (.destroyForcibly ~process)))))))

(deftest a-repl-starts-changes-and-stops-a-server-ten-times
  (running [repl (concat [java] options ["-cp" (str/join File/pathSeparator (class-path)) "clojure.main"])]
    (let [out (.inputReader repl)
          prints (fn [form] (say! repl form) (next-line out))
          port (do (is (str/starts-with? (next-line out) "Clojure 1."))
                   (say! repl "(require '[sirocco.ring :refer [run-server]])")
                   (is (= "nil" (prints "")))
                   (is (= "#'user/app" (prints "(defn app [_] {:body \"first\"})")))
                   (is (= "#'user/stop" (prints "(def stop (run-server #'app {:port 0 :ip \"127.0.0.1\"}))")))
                   (let [port (Long/parseLong (prints "(:local-port (meta stop))"))]
                     (is (= "nil" (prints "(stop)")))
                     port))]
      (dotimes [i 10]
        (is (= "#'user/app" (prints "(defn app [_] {:body \"first\"})")))
        (is (= "#'user/stop" (prints (str "(def stop (run-server #'app {:port " port " :ip \"127.0.0.1\"}))"))))
        (with-open [socket (wire/connect port)]
          (let [ask (fn [] (wire/write! socket "GET / HTTP/1.1\nHost: a\n\n") (wire/text (wire/read-response! socket)))]
            (is (= "first" (ask)))
            (is (= "#'user/app" (prints (str "(defn app [_] {:body \"changed " i "\"})"))))
            (is (= (str "changed " i) (ask)) "over the same connection")
            (is (= (str "changed " i) (wire/text (wire/fetch port "/"))) "and over a new one")
            (is (= "nil" (prints "(stop)")))
            (is (wire/ended? socket))))
        (is (thrown? java.net.ConnectException (wire/connect port)))))))

(defn -main
  "Serves until its input ends. Prints the port."
  [transport]
  (let [stop (ring/run-server (fn [request] {:body (or (some-> (:body request) slurp) "page")})
                              {:port 0 :ip "127.0.0.1" :loops 1 :transport (keyword transport)})]
    (println (:local-port (meta stop)))
    (while (read-line))
    (stop)
    (shutdown-agents)))

(defn- jar!
  "Packs folders into a jar, which is open already when descriptors run out."
  [^File file folders]
  (with-open [jar (JarOutputStream. (io/output-stream file))]
    (reduce (fn [done [name ^File each]]
              (if (or (done name) (.isDirectory each))
                done
                (do (.putNextEntry jar (JarEntry. ^String name))
                    (io/copy each jar)
                    (conj done name))))
            #{}
            (for [folder folders, ^File each (file-seq (io/file folder))]
              [(str (.relativize (.toPath (io/file folder)) (.toPath each))) each]))))

(defn- served?
  "Asks over a connection. Returns whether a response came in time."
  [^Socket socket millis]
  (try
    (.setSoTimeout socket millis)
    (wire/write! socket "GET / HTTP/1.1\nHost: a\n\n")
    (= "page" (wire/text (wire/read-response! socket)))
    (catch java.io.IOException _ false)))

(defn- accepts?
  "Returns whether a new connection is served. Some are refused until the server has closed those that have gone."
  [port]
  (some (fn [_] (with-open [socket (wire/connect port)] (served? socket 1500))) (range 50)))

(deftest a-listener-without-descriptors-neither-dies-nor-loses-its-clients
  (let [folder (.toFile (Files/createTempDirectory "ring" (make-array FileAttribute 0)))
        packed (io/file folder "classes.jar")
        {folders true jars false} (group-by #(.isDirectory (io/file %)) (class-path))]
    (try
      (jar! packed folders)
      (doseq [transport (if (= "nio" (System/getProperty "transport")) ["nio"] ["auto" "nio"])
              :let [command (concat [java] options ["-cp" (str/join File/pathSeparator (cons packed jars))
                                                    "clojure.main" "-m" "sirocco.ring.program-test" transport])]]
        (testing transport
          (running [server ["sh" "-c" (str "ulimit -n 64; exec " (str/join " " (map #(str "'" % "'") command)))]]
            (let [port (Long/parseLong (.readLine (.inputReader server)))
                  sockets (doall (for [i (range 90)
                                       :let [socket (wire/connect port)]]
                                   [socket (served? socket (if (< i 11) 15000 30))]))
                  kept (map first (filter second sockets))
                  others (map first (remove second sockets))]
              (try
                (is (< 10 (count kept)))
                (when (= "nio" transport) (is (seq others) "descriptors have run out"))
                (is (every? #(served? % 15000) (take 5 kept)) "meanwhile")
                (finally
                  (doseq [^Socket each (concat others (drop 5 kept))] (.close each))))
              (is (accepts? port) "it accepts again")
              (is (every? #(served? % 15000) (take 5 kept)) "and has those that it had")
              (doseq [^Socket each (take 5 kept)] (.close each))))))
      (finally (run! io/delete-file (reverse (file-seq folder)))))))
