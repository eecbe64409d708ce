;; SPDX-License-Identifier: Apache-2.0
(ns sirocco.ring-test
  "Starting, stopping, options and what this adapter promises beyond the conformance suite."
  (:require [clojure.java.io :as io]
            [clojure.string :as str]
            [clojure.test :refer [deftest is testing]]
            [sirocco.ring :as ring]
            [sirocco.ring.conformance.wire :as wire])
  (:import (io.sirocco.ring RingServer)
           (java.io InputStream)
           (java.net StandardProtocolFamily UnixDomainSocketAddress)
           (java.nio ByteBuffer)
           (java.nio.channels SocketChannel)
           (java.nio.file Files)
           (java.nio.file.attribute FileAttribute)
           (java.util.concurrent CountDownLatch Executors ExecutorService ThreadPoolExecutor TimeUnit SynchronousQueue)))

(def ^:private here {:port 0 :ip "127.0.0.1" :loops 1})

(defn- ok [body] {:status 200 :headers {"Content-Type" "text/plain"} :body body})

(defmacro ^:private serving
  "Runs the body with port bound to that of a server."
  [[port handler opts] & body]
  `(let [stop# (ring/run-server ~handler (merge here ~opts))
         ~port (:local-port (meta stop#))]
     (try ~@body (finally (stop#)))))

(defn- soon [p] (deref p 15000 :nothing))

;; ---- start and stop

(deftest the-stop-function
  (let [stop (ring/run-server (fn [_] (ok "hello")) here)
        {:keys [local-port server]} (meta stop)]
    (is (pos? local-port))
    (is (= "hello" (wire/text (wire/fetch local-port "/"))))
    (is (instance? RingServer server))
    (is (nil? (stop)))
    (is (nil? (stop)) "a second time does nothing")
    (is (thrown? java.net.ConnectException (wire/connect local-port)))))

(deftest the-status-of-a-server
  (let [entered (promise)
        leave (CountDownLatch. 1)
        server (ring/run-server (fn [_] (deliver entered true) (.await leave) (ok "late"))
                                (assoc here :legacy-return-value? false))]
    (is (= :running (ring/server-status server)))
    (with-open [socket (wire/connect (ring/server-port server))]
      (wire/write! socket "GET / HTTP/1.1\nHost: a\n\n")
      (is (true? (soon entered)))
      (let [joined (future (ring/server-join server) :joined)
            stopped (ring/server-stop! server {:timeout 10000})]
        (is (= :stopping (ring/server-status server)))
        (is (nil? (ring/server-stop! server)) "it is stopping already")
        (.countDown leave)
        (is (= "late" (wire/text (wire/read-response! socket))) "a request in progress finishes")
        (is (wire/ended? socket))
        (.close socket)
        (is (true? (soon stopped)))
        (is (realized? stopped))
        (is (= :stopped (ring/server-status server)))
        (is (= :joined (soon joined)))
        (is (nil? (ring/server-stop! server)))))))

(deftest a-stop-cuts-off-what-does-not-end-in-time
  (let [entered (promise)
        interrupted (promise)
        stop (ring/run-server (fn [_]
                                (deliver entered true)
                                (try (.await (CountDownLatch. 1))
                                     (catch InterruptedException e (deliver interrupted true) (throw e))))
                              here)]
    (with-open [socket (wire/connect (:local-port (meta stop)))]
      (wire/write! socket "GET / HTTP/1.1\nHost: a\n\n")
      (is (true? (soon entered)))
      (stop :timeout 1)
      (is (true? (soon interrupted))))))

(deftest a-handler-can-stop-its-server
  (let [server (promise)
        seen (promise)]
    (deliver server (ring/run-server (fn [_] (deliver seen (some? (ring/server-stop! @server {:timeout 5000}))) (ok "bye"))
                                     (assoc here :legacy-return-value? false)))
    (is (= "bye" (wire/text (wire/fetch (ring/server-port @server) "/"))))
    (is (true? (soon seen)))
    (ring/server-join @server)))

(defn ^:private app [_] (ok "first"))

(deftest a-session-in-the-repl
  (let [port (atom 0)]
    (dotimes [i 10]
      (alter-var-root #'app (constantly (fn [_] (ok "first"))))
      (let [stop (ring/run-server #'app (assoc here :port @port))]
        (reset! port (:local-port (meta stop)))
        (is (= "first" (wire/text (wire/fetch @port "/"))))
        (alter-var-root #'app (constantly (fn [_] (ok (str "changed " i)))))
        (is (= (str "changed " i) (wire/text (wire/fetch @port "/"))))
        (stop)))))

(deftest an-address-in-use
  (serving [port (fn [_] (ok ""))]
    (is (thrown? java.net.BindException (ring/run-server identity (assoc here :port port))))))

;; ---- options

(deftest unknown-options-are-named-once
  (let [warnings (atom [])]
    (serving [port (fn [_] (ok ""))
              {:colour 1 :flavour 2 :thread 4 :warn-logger (fn [message _] (swap! warnings conj message))}]
      (is (= 1 (count @warnings)))
      (is (str/includes? (first @warnings) "[:colour :flavour]")))))

(deftest options-that-cannot-be-honoured
  (doseq [[opts says] {{:ssl-context 1} ":keystore"
                       {:ssl? true} ":keystore"
                       {:proxy-protocol :optional} ":proxy-protocol"
                       {:proxy-protocol :enable} ":trusted-proxies"
                       {:ssl? true :keystore "k" :client-auth :maybe} ":client-auth"
                       {:ssl? true :keystore "project.clj"} ":key-password"
                       {:ssl? true :keystore "k" :key-password "p" :client-ca "ca.pem"} ":client-auth"
                       {:ssl? true :keystore "k" :key-password "p" :unix-socket "s"} ":unix-socket"
                       {:cert "cert.pem" :key "key.pem"} ":cert .*:ssl\\? true"
                       {:ssl-port 0} ":ssl-port"
                       {:client-auth :need} ":client-auth"
                       {:http? false} ":http\\?"}]
    (is (thrown-with-msg? IllegalArgumentException (re-pattern says)
                          (ring/run-server identity (merge here opts))))))

(deftest values-of-the-wrong-kind
  (doseq [[opts says] {{:port "8080"} ":port is an integer from 0 to 65535, not the string \"8080\"."
                       {:port 99999} ":port is an integer from 0 to 65535, not 99999."
                       {:loops "2"} ":loops is an integer from 1 to 1024, not the string \"2\"."
                       {:max-body "8m"} ":max-body is a whole number of bytes, or -1 for no limit, not the string \"8m\"."
                       {:max-body -2} ":max-body is a whole number of bytes, or -1 for no limit, not -2."
                       {:idle-timeout "5s"} ":idle-timeout is a whole number of milliseconds, 0 or more, not the string \"5s\"."
                       {:idle-timeout -1} ":idle-timeout is a whole number of milliseconds, 0 or more, not -1."
                       {:idle-timeout 1.5} ":idle-timeout is a whole number of milliseconds, 0 or more, not 1.5."
                       {:max-line 0} ":max-line is an integer, 1 or more, not 0."
                       {:queue-size 0} ":queue-size is an integer, 1 or more, not 0."
                       {:worker-pool 8} ":worker-pool is an ExecutorService, or a delay of one, not 8."
                       {:worker-pool (delay 8)} ":worker-pool is a delay of an ExecutorService, not of an object of class java.lang.Long."
                       {:error-logger "log"} ":error-logger is a function, not the string \"log\"."
                       {:ssl? "true"} ":ssl? is true or false, not the string \"true\"."
                       {:key-password 1234} ":key-password is a string, not an object of java.lang.Long."
                       {:ws-origins "https://a.example"}
                       ":ws-origins is a collection of origins, such as [\"https://app.example.org\"], or :any, not the string \"https://a.example\"."
                       {:forwarded-headers [:x-real-ip]}
                       ":forwarded-headers is a collection of :x-forwarded-for, :x-forwarded-proto and :x-forwarded-host, or [:forwarded], not [:x-real-ip]."
                       {:trusted-proxies "127.0.0.1"}
                       (str ":trusted-proxies is a collection of addresses and ranges, such as [\"127.0.0.1\" \"10.0.0.0/8\"],"
                            " or a predicate of an InetAddress, not the string \"127.0.0.1\".")
                       {:trusted-proxies ["proxy.example"]}
                       ":trusted-proxies has \"proxy.example\", which is neither an IP address nor a range such as \"10.0.0.0/8\"."
                       {:trusted-proxies ["10.0.0.0/33"]} ":trusted-proxies has \"10.0.0.0/33\", whose range must end with /0 to /32."
                       8080 "run-server takes a map of options, such as {:port 8080}, not 8080."}]
    (is (= says (try (ring/run-server identity (if (map? opts) (merge here opts) opts))
                     (catch IllegalArgumentException e (ex-message e))))))
  (doseq [handler [nil :app {} "app" 'app]]
    (is (thrown-with-msg? IllegalArgumentException #"^The handler is a function or a var of one, not "
                          (ring/run-server handler here)))))

(deftest values-that-are-nil-are-those-of-the-default
  (serving [port (fn [_] (ok "hello")) {:ssl? nil :cert nil :max-body nil :error-logger nil :worker-pool nil}]
    (is (= "hello" (wire/text (wire/fetch port "/"))))))

(deftest how-a-server-stops
  (let [stop (ring/run-server (fn [_] (ok "hello")) here)]
    (doseq [[call says] {#(stop 500) #"\(stop :timeout 500\)"
                         #(stop :timeout "x") #":timeout is a whole number"
                         #(stop :timeout -1) #":timeout is a whole number"
                         #(stop :timeot 5) #":timeout, not :timeot"}]
      (is (thrown-with-msg? IllegalArgumentException says (call))))
    (is (= "hello" (wire/text (wire/fetch (:local-port (meta stop)) "/"))) "it still runs")
    (is (nil? (stop {:timeout 5})))
    (is (= :stopped (ring/server-status (:server (meta stop)))))))

(deftest ranges-of-trusted-proxies
  (let [ask #(wire/text (wire/fetch % "/" "X-Forwarded-For: 192.0.2.1"))]
    (doseq [[proxies address] {["127.0.0.0/8"] "192.0.2.1" ["126.0.0.0/7"] "192.0.2.1" ["0.0.0.0/0"] "192.0.2.1"
                               ["127.0.0.1/32"] "192.0.2.1" ["::/0"] "127.0.0.1" ["127.0.0.0/32" "128.0.0.0/1"] "127.0.0.1"
                               #{"10.0.0.0/8" "127.0.0.1"} "192.0.2.1"}]
      (serving [port (fn [request] (ok (:remote-addr request))) {:trusted-proxies proxies}]
        (is (= address (ask port)) (pr-str proxies))))))

(deftest the-server-header
  (doseq [[opts value] {{} "Sirocco" {:server-header "mine"} "mine" {:server-header nil} nil
                        {:send-server-version? false} nil}]
    (serving [port (fn [_] (ok "")) opts]
      (is (= value (wire/header (wire/fetch port "/") "server")))
      (is (some? (wire/header (wire/fetch port "/") "date")))))
  (serving [port (fn [_] {:status 200 :headers {"Server" "own" "Date" "today"} :body ""})]
    (let [response (wire/fetch port "/")]
      (is (= [["own"] ["today"]] [(get-in response [:headers "server"]) (get-in response [:headers "date"])])))))

(deftest the-limit-of-a-body
  (let [limit 100000]
    (serving [port (fn [request] (ok (str (count (.readAllBytes ^InputStream (:body request)))))) {:max-body limit}]
      (is (= (str limit) (wire/text (wire/post port "/" (byte-array limit)))))
      (is (= 413 (:status (wire/exchange port (str "POST / HTTP/1.1\nHost: a\nContent-Length: " (inc limit) "\n\n")))))
      (is (= 413 (:status (wire/exchange port "POST / HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n"
                                         "186a1\n" (byte-array (inc limit)))))))))

(deftest the-limit-of-a-line
  (let [path #(str "/" (apply str (repeat (dec %) "a")))]
    (serving [port (fn [_] (ok "")) {:max-line 1000}]
      (is (= [200 200 414] (map #(:status (wire/fetch port (path %))) [999 1000 1001])))))
  (serving [port (fn [_] (ok "")) {:max-header-bytes 10000 :max-line 100}]
    (is (= 431 (:status (wire/fetch port "/" (str "X-A: " (apply str (repeat 10000 "a")))))))))

(deftest requests-in-progress-are-bounded
  (let [entered (promise)
        leave (CountDownLatch. 1)]
    (serving [port (fn [_] (deliver entered true) (.await leave) (ok "late")) {:queue-size 1}]
      (with-open [socket (wire/connect port)]
        (wire/write! socket "GET / HTTP/1.1\nHost: a\n\n")
        (is (true? (soon entered)))
        (is (= 503 (:status (wire/fetch port "/"))) "the second request")
        (.countDown leave)
        (is (= "late" (wire/text (wire/read-response! socket))))))))

(deftest the-queue-behind-workers
  (doseq [[handler opts] [[(fn [body] (fn [_] (ok (body)))) {}]
                          [(fn [body] (fn [_ respond _] (respond (ok (body))))) {:ring-async? true}]]]
    (let [entered (promise)
          leave (CountDownLatch. 1)
          running (atom 0)
          body (fn []
                 (is (= 1 (swap! running inc)) "one at a time")
                 (deliver entered true)
                 (.await leave)
                 (swap! running dec)
                 (.getName (Thread/currentThread)))]
      (serving [port (handler body) (merge opts {:loops 2 :thread 1 :queue-size 1 :worker-name-prefix "mine-"})]
        (with-open [first (wire/connect port) second (wire/connect port) third (wire/connect port)]
          (wire/write! first "GET / HTTP/1.1\nHost: a\n\n")
          (is (true? (soon entered)))
          (let [responses (java.util.concurrent.LinkedBlockingQueue.)]
            (doseq [socket [second third]]
              (wire/write! socket "GET / HTTP/1.1\nHost: a\n\n")
              (future (.add responses (wire/read-response! socket))))
            (is (= 503 (:status (.poll responses 15 TimeUnit/SECONDS))) "beyond the worker and the queue")
            (.countDown leave)
            (is (str/starts-with? (wire/text (wire/read-response! first)) "mine-"))
            (is (= 200 (:status (.poll responses 15 TimeUnit/SECONDS))))))))))

(deftest both-families-of-addresses
  (let [ipv6? (.exists (io/file "/proc/net/if_inet6"))]
    (doseq [transport [:auto :nio]]
      (let [stop (ring/run-server (fn [request] (ok (str (:remote-addr request) " " (:server-name request))))
                                  {:port 0 :loops 1 :transport transport})
            ask (fn [^String address]
                  (with-open [socket (java.net.Socket. address (int (:local-port (meta stop))))]
                    (wire/write! socket "GET / HTTP/1.0\n\n")
                    (wire/text (wire/read-response! socket))))]
        (try
          (is (= "127.0.0.1 localhost" (ask "127.0.0.1")))
          (when ipv6?
            (is (= "0:0:0:0:0:0:0:1 localhost" (ask "::1"))))
          (finally (stop)))))))

(deftest handlers-park-without-pinning-their-loop
  (let [file (Files/createTempFile "ring" ".jfr" (make-array FileAttribute 0))
        waiting (java.util.concurrent.LinkedBlockingQueue.)]
    (serving [port (fn [request]
                     (case (:uri request)
                       "/wait" (let [answer (promise)]
                                 (.add waiting answer)
                                 (ok (str @answer)))
                       "/release" (do (run! #(deliver % "released") (repeatedly 10 #(.poll waiting 15 TimeUnit/SECONDS)))
                                      (ok (slurp (:body request))))))]
      (let [together (fn []
                       (let [sockets (doall (repeatedly 10 #(wire/connect port)))]
                         (run! #(wire/write! % "GET /wait HTTP/1.1\nHost: a\n\n") sockets)
                         (is (= "body" (wire/text (wire/post port "/release" "body"))))
                         (doseq [^java.net.Socket socket sockets]
                           (is (= "released" (wire/text (wire/read-response! socket))))
                           (.close socket))))]
        (together) ; what is used for the first time is linked now
        (with-open [recording (jdk.jfr.Recording.)]
          (.withThreshold (.enable recording "jdk.VirtualThreadPinned") java.time.Duration/ZERO)
          (.start recording)
          (dotimes [_ 10] (together))
          (.stop recording)
          (.dump recording file))
        (is (empty? (->> (jdk.jfr.consumer.RecordingFile/readAllEvents file)
                         (filter #(= "jdk.VirtualThreadPinned" (.getName (.getEventType %))))
                         (map #(str (.getStackTrace %))))))))
    (Files/delete file)))

(deftest the-transport
  (serving [port (fn [_] (ok "hello")) {:transport :nio}]
    (is (= "hello" (wire/text (wire/fetch port "/")))))
  (is (thrown-with-msg? IllegalArgumentException #":transport" (ring/run-server identity (assoc here :transport :pigeon)))))

(deftest a-pool-of-the-program
  (let [^ExecutorService pool (Executors/newFixedThreadPool 2)]
    (try
      (serving [port (fn [request]
                       (ok (str (.isVirtual (Thread/currentThread)) " " (some-> (:body request) slurp))))
                {:worker-pool pool}]
        (is (= "false hello" (wire/text (wire/post port "/" "hello"))))
        (is (= "false " (wire/text (wire/fetch port "/")))))
      (is (not (.isShutdown pool)) "it is not the server's to end")
      (finally (.shutdownNow pool)))))

(deftest a-pool-that-is-full
  (let [leave (CountDownLatch. 1)
        entered (promise)
        pool (ThreadPoolExecutor. 1 1 1 TimeUnit/SECONDS (SynchronousQueue.))]
    (try
      (serving [port (fn [_] (deliver entered true) (.await leave) (ok "late")) {:worker-pool (delay pool)}]
        (with-open [socket (wire/connect port)]
          (wire/write! socket "GET / HTTP/1.1\nHost: a\n\n")
          (is (true? (soon entered)))
          (is (= 503 (:status (wire/fetch port "/"))))
          (.countDown leave)
          (is (= "late" (wire/text (wire/read-response! socket))))))
      (finally (.shutdownNow pool)))))

(deftest the-error-logger
  (let [logged (promise)]
    (serving [port (fn [_] (throw (IllegalStateException. "mine")))
              {:error-logger (fn [message thrown] (deliver logged [message thrown]) (throw (Exception. "too")))}]
      (is (= 500 (:status (wire/fetch port "/boom?token=secret"))))
      (is (= "mine" (ex-message (second (soon logged)))))
      (is (re-matches #"GET /boom failed \(request \S+\)" (first (soon logged))))
      (is (= 500 (:status (wire/fetch port "/"))) "what a logger throws breaks nothing"))))

(deftest the-event-logger
  (let [events (java.util.concurrent.LinkedBlockingQueue.)
        next-event #(or (.poll events 15 TimeUnit/SECONDS) :nothing)]
    (serving [port (fn [request] (if (= "/throw" (:uri request)) (throw (IllegalStateException.)) {:status 201}))
              {:max-line 100 :error-logger (fn [_ _]) :event-logger (fn [name] (.add events name) (throw (Exception. "mine")))}]
      (wire/fetch port "/")
      (is (= "httpkit.server.status.processed.201" (next-event)))
      (wire/fetch port "/throw")
      (is (= ["httpkit.server.status.500" "httpkit.server.status.processed.500"] [(next-event) (next-event)]))
      (wire/fetch port (str "/" (apply str (repeat 100 "a"))))
      (is (= "httpkit.server.status.414" (next-event))))))

(deftest the-names-of-events
  (let [events (java.util.concurrent.LinkedBlockingQueue.)
        next-event #(or (.poll events 15 TimeUnit/SECONDS) :nothing)]
    (serving [port (fn [request] (if (= "/throw" (:uri request)) (throw (IllegalStateException.)) {:status 201}))
              {:max-line 100 :error-logger (fn [_ _]) :event-logger #(.add events %)
               :event-names {"serverStatusPrefix" "app." "serverStatus500" "app.failure"}}]
      (wire/fetch port "/")
      (is (= "app.201" (next-event)))
      (wire/fetch port "/throw")
      (is (= ["app.failure" "app.500"] [(next-event) (next-event)]))
      (wire/fetch port (str "/" (apply str (repeat 100 "a"))))
      (is (= "httpkit.server.status.414" (next-event)) "a name that is not set"))))

(deftest a-unix-socket
  (let [folder (Files/createTempDirectory "ring" (make-array FileAttribute 0))
        file (.resolve folder "app.sock")
        stop (ring/run-server (fn [request] (ok (pr-str (:remote-addr request)))) {:unix-socket (str file) :loops 1})]
    (try
      (is (= -1 (:local-port (meta stop))))
      (with-open [channel (SocketChannel/open StandardProtocolFamily/UNIX)]
        (.connect channel (UnixDomainSocketAddress/of file))
        (.write channel (ByteBuffer/wrap (wire/bytes-of "GET / HTTP/1.1\nHost: a\nConnection: close\n\n")))
        (let [buffer (ByteBuffer/allocate 10000)]
          (while (pos? (.read channel buffer)))
          (is (str/ends-with? (String. (.array buffer) 0 (.position buffer)) "nil"))))
      (finally
        (stop)
        (Files/deleteIfExists folder)))))

;; ---- faults and load

(deftest a-sequence-is-not-held-while-it-is-sent
  (let [head (promise)]
    (serving [port (fn [_]
                     (let [elements (map #(str % (apply str (repeat 1000 \x))) (range 100000))]
                       (deliver head (java.lang.ref.WeakReference. elements))
                       (ok elements)))]
      (with-open [socket (wire/connect port)]
        (wire/write! socket "GET / HTTP/1.1\nHost: a\n\n")
        (is (= 200 (:status (wire/read-head! socket))))
        (is (loop [tries 200]
              (System/gc)
              (or (nil? (.get ^java.lang.ref.WeakReference @head))
                  (and (pos? tries) (do (wire/read-bytes! socket 1000) (recur (dec tries)))))))))))

(defn- dropped
  "Returns how many connections the kernel has dropped at the listener, 0 without the tool that tells."
  [port]
  (if-let [^Process process (try (.start (ProcessBuilder. ["ss" "-ltnmH" (str "sport = :" port)])) (catch java.io.IOException _ nil))]
    (Long/parseLong (or (second (re-find #",d(\d+)\)" (slurp (.getInputStream process)))) "-1"))
    0))

(deftest four-hundred-connects
  (let [blocked (promise)
        leave (CountDownLatch. 1)]
    (serving [port (fn [_] (ok "late")) {:event-logger (fn [_] (deliver blocked true) (.await leave))}] ; runs on the loop
      (try
        (with-open [socket (wire/connect port)]
          (wire/write! socket "GET / HTTP/1.1\nHost: a\n\n")
          (is (true? (soon blocked)) "the only loop accepts nothing now")
          (let [sockets (doall (repeatedly 400 #(wire/connect port)))]
            (is (= 0 (dropped port)))
            (doseq [^java.net.Socket each sockets] (wire/write! each "GET / HTTP/1.1\nHost: a\n\n"))
            (.countDown leave)
            (doseq [^java.net.Socket each sockets]
              (is (= "late" (wire/text (wire/read-response! each))))
              (.close each))))
        (finally (.countDown leave))))))

(deftest an-error-of-a-handler-leaves-the-server-serving
  (serving [port (fn [request]
                   (case (:uri request)
                     "/memory" (ok (str (long-array Integer/MAX_VALUE)))
                     "/thrown" (throw (OutOfMemoryError. "as if"))
                     "/stack" (ok (str ((fn deeper [n] (inc (deeper (inc n)))) 0)))
                     "/linkage" (throw (NoClassDefFoundError. "none"))
                     (ok "page")))
            {:error-logger (fn [_ _])}]
    (doseq [path ["/memory" "/thrown" "/stack" "/linkage"]]
      (with-open [socket (wire/connect port)]
        (wire/write! socket (str "GET " path " HTTP/1.1\nHost: a\n\nGET / HTTP/1.1\nHost: a\n\n"))
        (is (= [500 200] (repeatedly 2 #(:status (wire/read-response! socket)))) path)))
    (is (= "page" (wire/text (wire/fetch port "/"))) "a new connection")))

(deftest silent-connections-end
  (serving [port (fn [_] (ok "page")) {:header-timeout 50 :idle-timeout 50}]
    (with-open [silent (wire/connect port)]
      (is (wire/ended? silent) "without a request"))
    (with-open [half (wire/connect port)]
      (wire/write! half "GET / HTTP/1.1\nHost:")
      (is (= 408 (:status (wire/read-response! half))))
      (is (wire/ended? half) "with half a request"))
    (with-open [idle (wire/connect port)]
      (wire/write! idle "GET / HTTP/1.1\nHost: a\n\n")
      (is (= "page" (wire/text (wire/read-response! idle))))
      (is (wire/ended? idle) "after its last response"))))

(deftest a-body-that-does-not-come
  (let [thrown (promise)]
    (serving [port (fn [request]
                     (try (ok (slurp (:body request)))
                          (catch java.io.IOException e (deliver thrown e) (throw e))))
              {:body-timeout 50 :error-logger (fn [_ _])}]
      (with-open [socket (wire/connect port)]
        (wire/write! socket "POST / HTTP/1.1\nHost: a\nContent-Length: 5\n\nab")
        (is (= 408 (:status (wire/read-response! socket))))
        (is (instance? java.io.IOException (soon thrown)))
        (is (wire/ended? socket))))))

(deftest a-handler-that-does-not-return
  (let [interrupted (promise)]
    (serving [port (fn [_]
                     (try (.await (CountDownLatch. 1))
                          (catch InterruptedException e (deliver interrupted true) (throw e))))
              {:handler-timeout 50 :error-logger (fn [_ _])}]
      (is (= 503 (:status (wire/fetch port "/"))))
      (is (true? (soon interrupted))))))

(deftest a-slow-reader-takes-no-memory
  (let [size (* 512 1024 1024)
        read-by-server (atom 0)
        closed (promise)]
    (serving [port (fn [request]
                     (if (= "/stats" (:uri request))
                       (ok "page")
                       {:body (proxy [InputStream] []
                                (read ([] (throw (UnsupportedOperationException.)))
                                  ([_ _ n]
                                   (if (<= size (long @read-by-server)) -1 (do (swap! read-by-server + n) (int n)))))
                                (close [] (deliver closed true)))}))
              {:write-timeout 200}]
      (with-open [socket (wire/connect port)]
        (wire/write! socket "GET / HTTP/1.1\nHost: a\n\n")
        (is (= 200 (:status (wire/read-head! socket))))
        (is (= "page" (wire/text (wire/fetch port "/stats"))) "others are served meanwhile")
        (is (true? (soon closed)) "it is cut off, and the stream closed")
        (is (< (long @read-by-server) (* 64 1024 1024)) "no more was read than the kernel and the loop take")))))

;; ---- requests

(deftest values-of-http-kit
  (let [seen (promise)]
    (serving [port (fn [request]
                     (deliver seen (select-keys request [:content-type :content-length :character-encoding
                                                         :websocket? :start-time :async-channel :server-port :body]))
                     (ok ""))]
      (wire/post port "/" "" "Content-Type: text/html; charset=ISO-8859-1")
      (let [{:keys [websocket? start-time async-channel] :as request} (soon seen)]
        (is (= "text/html; charset=ISO-8859-1" (:content-type request)))
        (is (= 0 (:content-length request)))
        (is (= "ISO-8859-1" (:character-encoding request)))
        (is (nil? (:body request)))
        (is (false? websocket?))
        (is (integer? start-time))
        (is (some? async-channel))))))

(deftest differences-from-http-kit-and-jetty ; the tables of docs/ring.md, as far as no other test has the row
  (serving [port (fn [request]
                   (case (:uri request)
                     "/request" (ok (pr-str ((juxt :content-type :content-length :character-encoding) request)))
                     "/cookie" (ok (get-in request [:headers "cookie"]))
                     "/headers" {:headers {"x-aBc" "1" :x-Key "2"} :body ""}
                     "/type" {:headers {"Content-Type" "text/plain;  Charset=iso-8859-1"} :body ""}
                     "/listener" {:ring.websocket/listener {}}
                     "/map" {:body {:a 1}}
                     "/status" {:status "201"}
                     "/method" (ok (str (:request-method request)))))
            {:error-logger (fn [_ _])}]
    (let [ask #(wire/exchange port (str %1 " " %2 " HTTP/1.1\nHost: a\n" %3 "\n"))]
      (is (= (pr-str ["a/b; c=d" nil nil]) (wire/text (ask "POST" "/request" "Content-Type: a/b; c=d\nTransfer-Encoding: chunked\n\n1\nx\n0\n"))))
      (is (= (pr-str ["a/b; charset=X" 0 "X"]) (wire/text (ask "POST" "/request" "Content-Type: a/b; charset=X\nContent-Length: 0\n"))))
      (is (= "a=1; b=2" (wire/text (ask "GET" "/cookie" "Cookie: a=1\nCookie: b=2\n"))))
      (is (= "text/plain;  Charset=iso-8859-1" (wire/header (ask "GET" "/type" "") "content-type")))
      (is (= 426 (:status (ask "GET" "/listener" ""))))
      (is (= 400 (:status (ask "GET" "/listener" "Connection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Version: 13\n"))))
      (is (= [500 500] (map #(:status (ask "GET" % "")) ["/map" "/status"])))
      (is (= [":foo" ":get"] (map #(wire/text (ask % "/method" "")) ["FOO" "get"])))
      (is (= 204 (:status (ask "OPTIONS" "*" ""))))
      (with-open [socket (wire/connect port)]
        (wire/write! socket "GET /headers HTTP/1.0\n\n")
        (let [lines (set (str/split-lines (slurp (.getInputStream socket))))]
          (is (contains? lines "x-aBc: 1") "the case of letters stays")
          (is (contains? lines "x-Key: 2")))))))

(deftest a-handler-that-throws-behind-its-response
  (let [logged (promise)]
    (serving [port (fn [_ respond _] (respond (ok "whole")) (throw (IllegalStateException. "late")))
              {:ring-async? true :error-logger (fn [_ thrown] (deliver logged (ex-message thrown)))}]
      (with-open [socket (wire/connect port)]
        (dotimes [_ 2]
          (wire/write! socket "GET / HTTP/1.1\nHost: a\n\n")
          (is (= "whole" (wire/text (wire/read-response! socket))))))
      (is (= "late" (soon logged))))))

(deftest the-port-of-the-listener-without-one-in-host
  (serving [port (fn [request] (ok (pr-str ((juxt :server-name :server-port) request))))]
    (is (= (pr-str ["a" port]) (wire/text (wire/exchange port "GET / HTTP/1.1\nHost: a\n\n"))))
    (is (= (pr-str ["a" 81]) (wire/text (wire/exchange port "GET / HTTP/1.1\nHost: a:81\n\n"))))
    (is (= (pr-str ["[::1]" 82]) (wire/text (wire/exchange port "GET / HTTP/1.1\nHost: [::1]:82\n\n"))))
    (is (= (pr-str ["127.0.0.1" port]) (wire/text (wire/exchange port "GET / HTTP/1.0\n\n"))))
    (is (= (pr-str ["b" 83]) (wire/text (wire/exchange port "GET http://b:83/x HTTP/1.1\nHost: b:83\n\n"))))))

(deftest an-absolute-target
  (serving [port (fn [request] (ok (pr-str ((juxt :uri :query-string) request))))]
    (is (= (pr-str ["/x" "y"]) (wire/text (wire/exchange port "GET http://b/x?y HTTP/1.1\nHost: b\n\n"))))
    (is (= (pr-str ["/" nil]) (wire/text (wire/exchange port "GET http://b HTTP/1.1\nHost: b\n\n"))))))

(deftest the-address-of-the-client-cannot-be-claimed
  (let [handler (fn [request] (ok (str (:remote-addr request) " " (name (:scheme request)))))
        ask #(wire/text (wire/fetch % "/" "X-Forwarded-For: 192.0.2.1, 192.0.2.2" "X-Forwarded-Proto: https"))]
    (serving [port handler] (is (= "127.0.0.1 http" (ask port))))
    (serving [port handler {:trusted-proxies ["127.0.0.1"]}] (is (= "192.0.2.2 https" (ask port))))
    (serving [port handler {:trusted-proxies (fn [^java.net.InetAddress a] (.isLoopbackAddress a))}]
      (is (= "192.0.2.2 https" (ask port))))
    (serving [port handler {:trusted-proxies ["192.0.2.9"]}] (is (= "127.0.0.1 http" (ask port))))
    (serving [port handler {:legacy-unsafe-remote-addr? true}] (is (= "192.0.2.1 http" (ask port))))))

(defn- version-2
  "Returns a header of version 2 of the PROXY protocol."
  ^bytes [command family & address]
  (byte-array (map unchecked-byte (concat [13 10 13 10 0 13 10 0x51 0x55 0x49 0x54 10 (+ 0x20 command) family 0 (count address)] address))))

(deftest the-proxy-protocol
  (serving [port (fn [request] (ok (pr-str [(:remote-addr request) (filter #(str/starts-with? % "x-forwarded") (keys (:headers request)))])))
            {:proxy-protocol :enable :trusted-proxies ["127.0.0.1"]}]
    (doseq [[client header] [["192.0.2.7" "PROXY TCP4 192.0.2.7 127.0.0.1 4 5\n"]
                             ["2001:db8::7" "PROXY TCP6 2001:db8::7 ::1 4 5\n"]
                             ["127.0.0.1" "PROXY UNKNOWN\n"]
                             ["192.0.2.7" (version-2 1 0x11 192 0 2 7 127 0 0 1 0 4 0 5)]
                             ["2001:db8::7" (apply version-2 1 0x21 (concat [0x20 1 0x0d 0xb8] (repeat 11 0) [7] (repeat 15 0) [1 0 4 0 5]))]
                             ["127.0.0.1" (version-2 0 0)]]
            :let [[address headers] (read-string (wire/text (wire/exchange port header "GET / HTTP/1.1\nHost: a\n\n")))]]
      (is (= (java.net.InetAddress/getByName client) (java.net.InetAddress/getByName address)))
      (is (empty? headers) "nothing is added to the request"))
    (is (thrown? java.io.IOException (wire/fetch port "/")) "without the header")))

(deftest a-request-map-outlives-its-request
  (let [seen (promise)]
    (serving [port (fn [request] (deliver seen request) (ok ""))]
      (wire/fetch port "/a?b" "X-One: 1")
      (wire/fetch port "/other?c" "X-One: 2"))
    (let [request (soon seen)]
      (is (= ["/a" "b" "1" :get] ((juxt :uri :query-string #(get-in % [:headers "x-one"]) :request-method) request)))
      (is (map? (dissoc request :body))))))

;; ---- responses

(deftest a-response-of-nil
  (serving [port (fn [_] nil)]
    (is (= [404 ""] ((juxt :status wire/text) (wire/fetch port "/"))))))

(deftest responses-that-are-none
  (doseq [response ["text" {:status "200"} {:status 99} {:status 700} {:status 4294967496} {:status 401/2} {:headers [1]} {:headers {"a b" "1"}} {:body 1}
                    {:body {:a 1}} {:status 200.0}]]
    (serving [port (fn [_] response) {:error-logger (fn [_ _])}]
      (is (= 500 (:status (wire/fetch port "/"))) (pr-str response)))))

(deftest a-status-that-is-a-string-is-named-as-one
  (let [thrown (promise)]
    (serving [port (fn [_] {:status "200"}) {:error-logger (fn [_ error] (deliver thrown error))}]
      (is (= 500 (:status (wire/fetch port "/"))))
      (is (= "The :status must be an integer, not \"200\"" (ex-message @thrown))))))

(deftest bodies-in-memory
  (doseq [body [(byte-array [1 2 3]) (ByteBuffer/wrap (byte-array [1 2 3])) (.position (ByteBuffer/wrap (byte-array [0 1 2 3])) 1)]]
    (serving [port (fn [_] {:body body})]
      (dotimes [_ 2]
        (is (= [1 2 3] (vec (:body (wire/fetch port "/")))))))))

(deftest the-charset-of-a-string
  (serving [port (fn [_] {:headers {"Content-Type" "text/plain; charset=ISO-8859-1"} :body "ä"})]
    (is (= [-28] (vec (:body (wire/fetch port "/"))))))
  (serving [port (fn [_] {:headers {"Content-Type" "text/plain"} :body "ä"})]
    (is (= "ä" (wire/text (wire/fetch port "/"))))))

(deftest headers-that-would-forge-others
  (doseq [value ["a\r\nX-Forged: 1" "a\nX-Forged: 1" "a\rX-Forged: 1" "a\u0000b"]]
    (serving [port (fn [_] {:headers {"X-One" value} :body ""}) {:error-logger (fn [_ _])}]
      (is (= 500 (:status (wire/fetch port "/")))))))

(deftest the-length-of-a-string
  (serving [port (fn [_] {:body "äö€😀"})]
    (is (= "11" (wire/header (wire/fetch port "/") "content-length")))))

(deftest headers-beyond-ascii
  (serving [port (fn [_] {:headers {"Location" "/ä b" "X-Name" "ä€" :x-keyword 1 "X-Nil" nil "X-Seq" [1 nil "b"]}})]
    (let [{:keys [headers]} (wire/fetch port "/")]
      (is (= ["/%C3%A4%20b"] (get headers "location")))
      (is (= "ä€" (String. (.getBytes ^String (first (get headers "x-name")) "ISO-8859-1") "UTF-8")))
      (is (= ["1"] (get headers "x-keyword")))
      (is (nil? (get headers "x-nil")))
      (is (= ["1" "b"] (get headers "x-seq"))))))

(deftest headers-that-the-server-sets
  (serving [port (fn [_] {:headers {"Transfer-Encoding" "chunked" "Content-Length" "77" "Keep-Alive" "a" "Trailer" "b"
                                    "Upgrade" "c" "Connection" "keep-alive"}
                          :body "hello"})]
    (let [response (wire/fetch port "/")]
      (is (= "hello" (wire/text response)))
      (is (= ["5"] (get-in response [:headers "content-length"])))
      (is (not-any? #(wire/header response %) ["transfer-encoding" "keep-alive" "trailer" "upgrade"]))))
  (serving [port (fn [_] {:headers {"Connection" "close"} :body "hello"})]
    (with-open [socket (wire/connect port)]
      (wire/write! socket "GET / HTTP/1.1\nHost: a\n\n")
      (is (= "close" (wire/header (wire/read-response! socket) "connection")))
      (is (wire/ended? socket)))))

(deftest the-stated-length-of-a-stream
  (serving [port (fn [_] {:headers {"Content-Length" "20000"} :body (java.io.ByteArrayInputStream. (byte-array 20000))})]
    (is (= "20000" (wire/header (wire/fetch port "/") "content-length"))))
  (serving [port (fn [_] {:headers {"Content-Length" "20001"} :body (java.io.ByteArrayInputStream. (byte-array 20000))})
            {:error-logger (fn [_ _])}]
    (is (thrown? java.io.IOException (wire/fetch port "/")) "it ends too early, and the client can tell")))

(deftest the-length-of-head
  (serving [port (fn [_] {:headers {"Content-Length" "1234"}})]
    (is (= "1234" (wire/header (wire/exchange port "HEAD / HTTP/1.1\nHost: a\n\n") "content-length"))))
  (serving [port (fn [_] {:body "hello"})]
    (is (= "5" (wire/header (wire/exchange port "HEAD / HTTP/1.1\nHost: a\n\n") "content-length")))))

(deftest a-status-that-resets-content
  (serving [port (fn [_] {:status 205 :body "hello"})]
    (let [response (wire/fetch port "/")]
      (is (= [205 "0" ""] [(:status response) (wire/header response "content-length") (wire/text response)])))))

(deftest bodies-that-are-not-sent
  (serving [port (fn [request]
                   (case (:uri request)
                     "/204" {:status 204 :body "x"}
                     "/304" {:status 304 :headers {"ETag" "\"a\""} :body (map str (range 5))}
                     "/seq" {:body (map str (range 5000))}
                     "/ok" (ok "ok")))]
    (with-open [socket (wire/connect port)]
      (doseq [[method path status] [["GET" "/204" 204] ["GET" "/304" 304] ["HEAD" "/seq" 200] ["HEAD" "/204" 204]]]
        (wire/write! socket (str method " " path " HTTP/1.1\nHost: a\n\n"))
        (is (= status (:status (wire/read-response! socket (= "HEAD" method)))))
        (wire/write! socket "GET /ok HTTP/1.1\nHost: a\n\n")
        (is (= "ok" (wire/text (wire/read-response! socket))) "the next response follows at once")))))

(deftest a-stream-that-fails
  (serving [port (fn [_] {:body (proxy [InputStream] [] (read ([] (throw (java.io.IOException. "broken"))) ([_ _ _] (throw (java.io.IOException. "broken")))))})
            {:error-logger (fn [_ _])}]
    (is (= 500 (:status (wire/fetch port "/"))) "before anything was sent"))
  (serving [port (fn [_] {:body (concat (repeat 20000 "a") (lazy-seq (throw (IllegalStateException. "broken"))))})
            {:error-logger (fn [_ _])}]
    (is (thrown? java.io.IOException (wire/fetch port "/")) "in the middle, and the client can tell")))

(deftest nothing-of-a-stream-that-fails-is-lost
  (doseq [body [(fn [] (concat (repeat 20000 "x") (lazy-seq (throw (IllegalStateException. "broken")))))
                (fn [] (java.io.SequenceInputStream. (java.io.ByteArrayInputStream. (.getBytes (apply str (repeat 20000 "x"))))
                                                     (proxy [InputStream] [] (read ([] (throw (java.io.IOException. "broken")))
                                                                               ([_ _ _] (throw (java.io.IOException. "broken")))))))]]
    (serving [port (fn [_] {:body (body)}) {:error-logger (fn [_ _])}]
      (with-open [socket (wire/connect port)]
        (wire/write! socket "GET / HTTP/1.1\nHost: a\n\n")
        (is (= "chunked" (wire/header (wire/read-head! socket) "transfer-encoding")))
        (let [rest (slurp (.getInputStream socket))]
          (is (= 20000 (count (filter #{\x} rest))))
          (is (not (str/ends-with? rest "0\r\n\r\n"))))))))

(deftest a-directory-is-no-body
  (let [logged (promise)]
    (serving [port (fn [_] {:body (io/file ".")}) {:error-logger (fn [_ thrown] (deliver logged thrown))}]
      (is (= 500 (:status (wire/fetch port "/"))))
      (is (str/includes? (ex-message (soon logged)) "is a directory")))))

(deftest a-body-that-comes-slowly-is-sent-as-it-comes
  (let [more (java.util.concurrent.LinkedBlockingQueue.)
        out (java.io.PipedOutputStream.)
        in (java.io.PipedInputStream. out)]
    (serving [port (fn [request]
                     {:body (if (= "/seq" (:uri request))
                              (take-while #(not= "end" %) (repeatedly #(.take more)))
                              in)})
              {:handler-timeout 10000}]
      (doseq [[path say end] [["/seq" #(.add more %) #(.add more "end")]
                              ["/stream" (fn [^String s] (.write out (.getBytes s)) (.flush out)) #(.close out)]]]
        (with-open [socket (wire/connect port)]
          (wire/write! socket (str "GET " path " HTTP/1.1\nHost: a\n\n"))
          (say "one")
          (is (= "chunked" (wire/header (wire/read-head! socket) "transfer-encoding")))
          (is (= ["3" "one"] [(wire/read-line! socket) (wire/read-line! socket)]))
          (say "two!")
          (is (= ["4" "two!"] [(wire/read-line! socket) (wire/read-line! socket)]))
          (end)
          (is (= ["0" ""] [(wire/read-line! socket) (wire/read-line! socket)])))))))

(deftest sequences-of-all-kinds
  (doseq [body [(map str (range 100)) (lazy-seq (cons "a" (lazy-seq (cons nil (lazy-seq nil))))) (lazy-seq nil) (list 1 :b "c") (seq [1 2])
                [1 nil 2] (concat [1] [] [2] (map inc (range 40))) (eduction (map inc) (range 50)) (take 3 (iterate inc 1)) #{1}
                (cons 1 (lazy-seq [2])) (java.util.ArrayList. [1 2]) (range 3) (repeat 3 "x")]]
    (serving [port (fn [_] {:body body})]
      (is (= (apply str body) (wire/text (wire/fetch port "/")))))))

(deftest the-heap-does-not-hold-a-sequence
  (let [piece (apply str (repeat 10000 "x"))]
    (serving [port (fn [_] {:body (map (fn [i] (str i piece)) (range 30000))})] ; 300 MB
      (let [used #(let [memory (java.lang.management.ManagementFactory/getMemoryMXBean)]
                    (System/gc)
                    (.getUsed (.getHeapMemoryUsage memory)))]
        (with-open [socket (wire/connect port)]
          (wire/write! socket "GET / HTTP/1.0\n\n")
          (wire/read-head! socket)
          (wire/read-bytes! socket 1000000)
          (let [before (used)]
            (dotimes [_ 100] (wire/read-bytes! socket 1000000))
            (is (< (- (used) before) (* 20 1024 1024))))
          (.transferTo (.getInputStream socket) (java.io.OutputStream/nullOutputStream)))))))

(deftest the-heap-does-not-hold-a-body
  (let [size (* 300 1024 1024)
        endless (fn [] (let [left (atom size)]
                         (proxy [InputStream] []
                           (read ([] (throw (UnsupportedOperationException.)))
                             ([^bytes _ _ n]
                              (let [n (min (long n) (long @left))]
                                (swap! left - n)
                                (if (zero? n) -1 (int n))))))))
        used #(let [memory (java.lang.management.ManagementFactory/getMemoryMXBean)]
                (System/gc)
                (.getUsed (.getHeapMemoryUsage memory)))]
    (serving [port (fn [request]
                     (if-let [^InputStream body (:body request)]
                       (ok (str (.transferTo body (java.io.OutputStream/nullOutputStream))))
                       {:body (endless)}))
              {:max-body -1}]
      (testing "sent"
        (with-open [socket (wire/connect port)]
          (wire/write! socket "GET / HTTP/1.0\n\n")
          (wire/read-head! socket)
          (wire/read-bytes! socket (* 1024 1024))
          (let [before (used)
                rest (.transferTo (.getInputStream socket) (java.io.OutputStream/nullOutputStream))]
            (is (= (- size (* 1024 1024)) rest))
            (is (< (- (used) before) (* 20 1024 1024))))))
      (testing "received"
        (with-open [socket (wire/connect port)]
          (wire/write! socket (str "POST / HTTP/1.1\nHost: a\nContent-Length: " size "\n\n"))
          (.transferTo ^InputStream (endless) (.getOutputStream socket))
          (is (= (str size) (wire/text (wire/read-response! socket)))))))))

(deftest the-address-that-a-function-returns
  (let [path (str (java.nio.file.Files/createTempDirectory "ring" (make-array java.nio.file.attribute.FileAttribute 0)) "/socket")
        start (fn [opts] (ring/run-server (fn [_] {:status 200}) opts))]
    (let [stop (start {:address-finder #(java.net.UnixDomainSocketAddress/of ^String path) :channel-factory (fn [_])})]
      (try
        (is (= -1 (:local-port (meta stop))))
        (is (.exists (java.io.File. path)))
        (finally (stop))))
    (let [stop (start {:address-finder #(java.net.InetSocketAddress. "127.0.0.1" 0)})]
      (try (is (pos? (:local-port (meta stop)))) (finally (stop))))
    (doseq [opts [{:channel-factory (fn [_])}
                  {:address-finder (fn [] nil)}
                  {:address-finder #(java.net.InetSocketAddress. 0) :port 1}]]
      (is (thrown? IllegalArgumentException (start opts)) opts))))

(deftest a-port-in-use-is-a-bind-exception
  (with-open [taken (java.net.ServerSocket. 0 1 (java.net.InetAddress/getByName "127.0.0.1"))]
    (is (thrown? java.net.BindException
                 (ring/run-server (fn [_]) {:ip "127.0.0.1" :port (.getLocalPort taken)})))))
