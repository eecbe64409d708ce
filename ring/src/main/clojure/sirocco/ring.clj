;; SPDX-License-Identifier: Apache-2.0
(ns sirocco.ring
  "A Ring adapter: run-server serves a Ring handler.

    (def stop (run-server #'app {:port 8080}))
    (stop)

  Options, request and response maps, and what differs from other adapters: docs/ring.md."
  (:require [clojure.string :as str]
            [sirocco.ring.options :as options :refer [path refuse]]
            [sirocco.ring.websocket :as websocket])
  (:import (clojure.lang IDeref IFn)
           (io.sirocco.http Config ExecutionMode Monitor Monitor$CompletedRequest Monitor$RejectedRequest Routes
                            Server TrustedProxies TrustedProxies$Field WebSocketSettings)
           (io.sirocco.net Tls TlsSettings TlsSettings$ClientCertificates TransportKind)
           (io.sirocco.ring RingAdapter RingAdapter$Settings RingChannel RingRequest RingServer RingServer$Status)
           (java.io FileNotFoundException UncheckedIOException)
           (java.net BindException InetSocketAddress StandardProtocolFamily UnixDomainSocketAddress)
           (java.nio.channels ServerSocketChannel)
           (java.nio.file Files)
           (java.time Duration)
           (java.util.concurrent ArrayBlockingQueue CompletableFuture Executor ExecutorService ThreadPoolExecutor TimeUnit
                                 TimeoutException)
           (java.util.function Consumer)))

(set! *warn-on-reflection* true)

;; ---- options

(defn- log [message]
  (.log (System/getLogger "sirocco.ring") java.lang.System$Logger$Level/WARNING ^String message))

(defn- warn
  "Passes a warning to the function of the program; what that throws does not matter."
  [{:keys [warn-logger]} message]
  (if warn-logger
    (try (warn-logger message nil) (catch Throwable _ nil))
    (log message)))

(defn- warn-once
  "Returns a function that warns of keys which something ignores: of each once, and of at most 100."
  [opts]
  (let [seen (atom #{})]
    (fn [what known given]
      (doseq [key (keys given)
              :when (and (not (contains? known key)) (not (contains? @seen [what key])) (< (count @seen) 100))]
        (swap! seen conj [what key])
        (warn opts (str what " ignores a key that it does not know: " (pr-str key)
                        ". It knows " (str/join ", " (sort known)) "."))))))

(defn- millis ^Duration [value] (Duration/ofMillis (long value)))

(defmacro ^:private consume
  "Returns a Consumer whose argument has the type."
  [type argument & body]
  `(reify Consumer
     (accept [_# given#]
       (let [~(with-meta argument {:tag type}) given#] ~@body))))

(defn- pem? [file]
  (let [bytes (byte-array 11)]
    (with-open [in (Files/newInputStream (path file) (make-array java.nio.file.OpenOption 0))]
      (.readNBytes in bytes 0 11))
    (= "-----BEGIN " (String. bytes "ISO-8859-1"))))

(defn- tls [{:keys [keystore key-password cert key client-auth client-ca]}]
  (when (and keystore (Files/isRegularFile (path keystore) (make-array java.nio.file.LinkOption 0)) (pem? keystore))
    (refuse ":keystore is a PKCS#12 store, but " keystore " looks like PEM: use :cert and :key."))
  (when (and keystore (nil? key-password))
    (refuse ":keystore needs its :key-password."))
  (Tls/of
   (consume TlsSettings settings
     (if keystore
       (.store settings (path keystore) (str key-password))
       (.certificate settings (path cert) (path key)))
     (when (#{:want :need} client-auth)
       (.clientCertificates settings
                            (if (= :need client-auth)
                              TlsSettings$ClientCertificates/NEEDED
                              TlsSettings$ClientCertificates/WANTED)
                            (path client-ca))))))

(def ^:private forwarded-fields
  {:forwarded TrustedProxies$Field/FORWARDED
   :x-forwarded-for TrustedProxies$Field/X_FORWARDED_FOR
   :x-forwarded-proto TrustedProxies$Field/X_FORWARDED_PROTO
   :x-forwarded-host TrustedProxies$Field/X_FORWARDED_HOST})

(defn- trusted-proxies [{:keys [trusted-proxies forwarded-headers]}]
  (TrustedProxies/of
   (options/trusts trusted-proxies)
   (into-array TrustedProxies$Field (map forwarded-fields forwarded-headers))))

(defn- found-address
  "Returns the options with the address that the :address-finder of http-kit returns."
  [{:keys [address-finder ssl?] :as opts}]
  (if-not address-finder
    opts
    (let [found (address-finder)]
      (cond
        (instance? InetSocketAddress found)
        (assoc opts :host (.getHostString ^InetSocketAddress found) :port (.getPort ^InetSocketAddress found))

        (and (instance? UnixDomainSocketAddress found) (not ssl?))
        (assoc opts :unix-socket (.getPath ^UnixDomainSocketAddress found))

        (instance? UnixDomainSocketAddress found)
        (refuse "The :address-finder returns a Unix socket, which serves HTTP only; leave :ssl? out, or listen on a port.")

        :else
        (refuse "The :address-finder returns an InetSocketAddress or a UnixDomainSocketAddress, not "
                (if (nil? found) "nil" (class found)) ".")))))

(defn- every-address
  "Returns the address of all interfaces, for IPv6 and IPv4; for IPv4 alone where the machine has no IPv6."
  ^String []
  (try
    (with-open [_ (ServerSocketChannel/open StandardProtocolFamily/INET6)] "::")
    (catch UnsupportedOperationException _ "0.0.0.0")))

(defn- listen [^Config config {:keys [ip host port unix-socket ssl? ssl-port http? proxy-protocol] :as opts}]
  (let [proxied (= :enable proxy-protocol)
        ^String address (or host ip (every-address))
        at (fn [port] (InetSocketAddress. address (int port)))]
    (if unix-socket
      (.unixSocket config (path unix-socket))
      (do
        (when-not (and ssl? (false? http?))
          (.listen config (at port) (java.util.Optional/empty) proxied))
        (when ssl?
          (.listen config (at ssl-port) (java.util.Optional/of (tls opts)) proxied))))))

(defn- failure-logger
  "Returns a function that passes a message and an exception to the :error-logger; what that throws does not matter."
  [{:keys [error-logger]}]
  (fn [message thrown]
    (when error-logger
      (try (error-logger message thrown) (catch Throwable _ nil)))))

(defn- monitor
  "Returns a monitor that calls functions of the program; what they throw does not matter."
  [{:keys [event-logger event-names] :as opts}]
  (let [event (fn [name]
                (when event-logger
                  (try (event-logger name) (catch Throwable _ nil))))
        named (fn [key default] (get event-names key (str "httpkit.server." default)))
        processed (named "serverStatusPrefix" "status.processed.")
        failed (failure-logger opts)
        refused (fn [status] (named (str "serverStatus" status) (str "status." status)))]
    (reify Monitor
      (completed [_ request] (event (str processed (.status ^Monitor$CompletedRequest request))))
      (rejected [_ request] (event (refused (.status (.error ^Monitor$RejectedRequest request)))))
      (loopDied [_ _] (event (named "serverLoopError" "loop.error")))
      (handlerFailed [_ id request thrown]
        (event (refused 500))
        (failed (if (= "" request) (str "request " id " failed") (str request " failed (request " id ")")) thrown)))))

(def ^:private transports
  {:auto TransportKind/AUTO :io-uring TransportKind/IO_URING :epoll TransportKind/EPOLL
   :nio TransportKind/NIO})

(defn- configure [^Config config opts]
  (let [{:keys [loops transport max-concurrent-requests queue-size worker-pool max-body max-line max-headers
                max-header-bytes header-timeout body-timeout handler-timeout write-timeout backlog
                send-server-version? error-logger event-logger]} opts
        loops (or loops (.availableProcessors (Runtime/getRuntime)))
        idle (or (:idle-timeout opts) (:max-idle-time opts))
        requests (or max-concurrent-requests (when queue-size (quot (+ queue-size (dec loops)) loops)))]
    (listen config opts)
    (.loops config (int loops))
    (when transport (.transport config (transports transport)))
    (.maxBodyBytes config (long max-body))
    (.headerLimits config (int (max max-header-bytes max-line)) (int max-line) (int max-headers))
    (when requests (.maxConcurrentRequests config (int requests)))
    (when idle (.idleTimeout config (millis idle)))
    (when header-timeout (.headerTimeout config (millis header-timeout)))
    (when body-timeout (.bodyTimeout config (millis body-timeout) 500))
    (when handler-timeout (.handlerTimeout config (millis handler-timeout)))
    (when write-timeout (.writeTimeout config (millis write-timeout)))
    (when backlog (.backlog config (int backlog)))
    (when (or (contains? opts :server-header) (false? send-server-version?))
      (.serverHeader config (or (:server-header opts) "")))
    (when (:trusted-proxies opts) (.trustedProxies config (trusted-proxies opts)))
    (when worker-pool (.executionMode config ExecutionMode/INLINE))
    (when (or error-logger event-logger) (.monitor config (monitor opts)))))

(defn- configure-websockets [^WebSocketSettings settings opts]
  (let [{:keys [max-ws ws-max-text-size ws-max-binary-size max-pending ws-origins ws-compression?
                ws-idle-timeout]} opts
        sizes (remove nil? [ws-max-text-size ws-max-binary-size])]
    (.maxMessageBytes settings (int (if (seq sizes) (apply max sizes) max-ws)))
    (.maxPendingBytes settings (int max-pending))
    (cond
      (= :any ws-origins) (.anyOrigin settings)
      (seq ws-origins) (.origins settings (into-array String ws-origins)))
    (when ws-compression? (.compression settings 1024))
    (when ws-idle-timeout (.ping settings (millis ws-idle-timeout) (millis 20000)))))

;; ---- workers

(defn- workers
  "Returns a pool for :thread with :queue-size: so many handlers run at once, and so many requests wait for them. A
  further one is rejected. Returns nil if the options have not both. Its threads are virtual: each costs little."
  ^ExecutorService [{:keys [thread queue-size worker-pool ^String worker-name-prefix]}]
  (when (and thread queue-size (not worker-pool))
    (doto (ThreadPoolExecutor. (int thread) (int thread) 10 TimeUnit/SECONDS (ArrayBlockingQueue. (int queue-size))
                               (.factory (.name (Thread/ofVirtual) ^String (or worker-name-prefix "worker-") 0)))
      (.allowCoreThreadTimeOut true))))

;; ---- bodies of Ring's protocol

(def ^:private streamable
  "The vars of Ring's protocol and its function, or nil without Ring. The value of the protocol's var changes
  when a type is added to it."
  (delay (try
           (when-let [protocol (requiring-resolve 'ring.core.protocols/StreamableResponseBody)]
             [protocol (requiring-resolve 'ring.core.protocols/write-body-to-stream)])
           (catch FileNotFoundException _ nil))))

(defn- streams? [body]
  (if-let [[protocol _] @streamable]
    (satisfies? @protocol body)
    false))

(defn- write-stream [body response stream]
  (let [[_ write] @streamable]
    (write body response stream)))

;; ---- servers

(defn server-port
  "Returns the port of the server, -1 for a Unix-domain socket."
  [^RingServer server]
  (.port server))

(defn- last-port
  "Returns the port of the last address: that of HTTPS, if there is one."
  [^RingServer server]
  (.getPort ^InetSocketAddress (last (.addresses (.server server)))))

(defn server-status
  "Returns :running, :stopping or :stopped."
  [^RingServer server]
  (condp = (.status server)
    RingServer$Status/RUNNING :running
    RingServer$Status/STOPPING :stopping
    :stopped))

(defn server-stop!
  "Stops the server: closes its listeners and idle connections, waits up to :timeout ms (100) for requests
  in progress, and cuts off the rest. Returns a promise of true, delivered when it has stopped, or nil if it
  is stopping already."
  ([server] (server-stop! server nil))
  ([^RingServer server opts]
   (when-let [^CompletableFuture stopped (.stop server (options/timeout opts))]
     (reify
       IDeref
       (deref [_] (.get stopped) true)
       clojure.lang.IBlockingDeref
       (deref [_ ms otherwise]
         (try (.get stopped (long ms) TimeUnit/MILLISECONDS) true
              (catch TimeoutException _ otherwise)))
       clojure.lang.IPending
       (isRealized [_] (.isDone stopped))))))

(defn server-join
  "Waits until the server has stopped. Returns nil."
  [^RingServer server]
  (.join server))

(defn run-server
  "Starts a server that calls a Ring handler for each request. The handler may be a var, and is then looked
  up for each request.

  Returns a function that stops the server: (stop), or (stop :timeout ms). Its metadata has :local-port and
  :server. With :legacy-return-value? false it returns the server itself.

  Commonly used options; docs/ring.md has all of them:

    :port         port to listen on, 0 for any free one (8090)
    :ip           address to listen on (all, IPv6 and IPv4)
    :ring-async?  whether the handler takes request, respond and raise (false)
    :max-body     largest request body in bytes (8 MiB)
    :join?        whether to wait until the server has stopped (false)"
  ([handler] (run-server handler {}))
  ([handler opts]
   (let [opts (found-address (options/checked handler opts warn))
         unknown (warn-once opts)
         _ (do (force streamable) (websocket/prepare)) ; here, so that no event loop loads namespaces
         ours (workers opts)
         pool (or ours (:worker-pool opts))
         ^Executor pool (if (and (instance? IDeref pool) (not (instance? Executor pool))) @pool pool)
         _ (when-not (or (nil? pool) (instance? Executor pool))
             (refuse ":worker-pool is a delay of an ExecutorService, not of an object of " (class pool) "."))
         adapter (RingAdapter.
                  handler
                  (RingAdapter$Settings.
                   (boolean (or (:ring-async? opts) (:async? opts)))
                   pool
                   (boolean (:trusted-proxies opts))
                   (boolean (:legacy-unsafe-remote-addr? opts))
                   (long (:max-pending opts))
                   streams?
                   write-stream
                   (partial websocket/callbacks unknown)
                   (failure-logger opts)
                   (::options/channel-view opts)
                   unknown
                   (consume WebSocketSettings settings (configure-websockets settings opts))))
         opts (cond-> opts ours (-> (dissoc :queue-size) (assoc :worker-pool ours)))
         server (try
                  (RingServer.
                   (Server/create
                    (consume Config config (configure config opts))
                    (consume Routes routes
                      (cond-> (.route routes "*" "/*" adapter)
                        pool (.startBeforeBody)))) ; a pool's thread may wait for the body
                   #(some-> ours .shutdownNow))
                  (catch UncheckedIOException e ; programs expect this one
                    (throw (doto (BindException. (ex-message e)) (.initCause e)))))
         stop (with-meta
                (fn [& given]
                  (let [opts (cond
                               (and (= 1 (count given)) (map? (first given))) (first given)
                               (even? (count given)) (apply hash-map given)
                               :else (refuse "A stop takes its timeout as (stop :timeout " (pr-str (first given)) ")."))]
                    (some-> (server-stop! server opts) deref)
                    nil))
                (cond-> {:local-port (server-port server) :server server}
                  (:ssl? opts) (assoc :local-ssl-port (last-port server))))]
     (when (:join? opts) (server-join server))
     (if (:legacy-return-value? opts) stop server))))

;; ---- channels

(defn open?
  "Returns whether data can be sent to the channel."
  [channel]
  (.isOpen (RingChannel/of channel)))

(defn websocket?
  "Returns whether the channel is one of a WebSocket."
  [channel]
  (.isWebSocket (RingChannel/of channel)))

(defn send!
  "Sends data to a channel: a body or a map with :status, :headers and :body for HTTP, a String, byte[] or
  InputStream for a WebSocket. Closes the channel behind it if close? is true, which is the default for
  HTTP only. Waits while :max-pending bytes are unsent. Returns false if the channel is closed."
  ([channel data] (.send (RingChannel/of channel) data nil true))
  ([channel data close?] (.send (RingChannel/of channel) data (boolean close?) true)))

(defn try-send!
  "Sends data as send! does, but never waits: returns false as well if there is no room."
  ([channel data] (.send (RingChannel/of channel) data nil false))
  ([channel data close?] (.send (RingChannel/of channel) data (boolean close?) false)))

(defn close
  "Closes a channel: ends the response, or closes the WebSocket with 1000, or with a code and a reason, which a
  response has none of. Returns true the first time."
  ([channel] (.close (RingChannel/of channel)))
  ([channel code] (.close (RingChannel/of channel) (int code) ""))
  ([channel code reason] (.close (RingChannel/of channel) (int code) (str reason))))

(defn on-close
  "Sets the function that is called once with a status when the channel has closed; at once if it has closed
  already."
  [channel callback]
  (.onClose (RingChannel/of channel) (fn [_ status] (callback status))))

(defn on-receive
  "Sets the function that is called with each message of a WebSocket: a String or byte[]."
  [channel callback]
  (.onReceive (RingChannel/of channel) (fn [_ message] (callback message))))

(defn on-ping
  "Sets the function that is called with the data of each ping, which was answered already."
  [channel callback]
  (.onPing (RingChannel/of channel) (fn [_ data] (callback data))))

(def ^:private channel-callbacks #{:init :on-open :on-receive :on-ping :on-close})

(defn as-channel
  "Returns a response that is sent by a channel, for HTTP and WebSockets. The handler must return it.

    :init        (fn [channel]), called at once
    :on-open     (fn [channel]), called when the handler has returned
    :on-receive  (fn [channel message]), for each message of a WebSocket
    :on-ping     (fn [channel data]), for each ping of a WebSocket
    :on-close    (fn [channel status]), called once"
  [request {:keys [init on-open on-receive on-ping on-close] :as callbacks}]
  (let [channel (:async-channel request)]
    (when-not channel
      (refuse "as-channel needs the request of this server, with its :async-channel."))
    (when-not (every? channel-callbacks (keys callbacks))
      (.unknown (RingChannel/of channel) channel-callbacks callbacks))
    (when init (init channel))
    (when on-open (.onOpen (RingChannel/of channel) on-open))
    (when on-receive (.onReceive (RingChannel/of channel) on-receive))
    (when on-ping (.onPing (RingChannel/of channel) on-ping))
    (when on-close (.onClose (RingChannel/of channel) on-close))
    {:body channel}))
