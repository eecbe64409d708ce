;; SPDX-License-Identifier: Apache-2.0
(ns ^:no-doc sirocco.ring.options
  "The options of run-server: their defaults, what they may be, and what they need of each other."
  (:require [clojure.string :as str])
  (:import (clojure.lang IDeref MultiFn)
           (java.io File)
           (java.net InetAddress InetSocketAddress)
           (java.nio.file Path Paths)
           (java.util.concurrent Executor)
           (java.util.function Predicate)))

(set! *warn-on-reflection* true)

(defn refuse [& message]
  (throw (IllegalArgumentException. ^String (apply str message))))

;; ---- kinds of values: a predicate and what it admits

(defn- integer
  "An integer from least to most; without most, from least on."
  ([least] (integer least Integer/MAX_VALUE (str "an integer, " least " or more")))
  ([least most] (integer least most (str "an integer from " least " to " most)))
  ([least most text] [#(and (integer? %) (<= least % most)) text]))

(defn- callable? [value]
  (or (fn? value) (var? value) (instance? MultiFn value)
      (and (ifn? value) (not (keyword? value)) (not (symbol? value)) (or (record? value) (not (coll? value))))))

(defn- one-of [& values]
  [(set values) (str (str/join ", " (butlast values)) " or " (last values))])

(def ^:private flag [boolean? "true or false"])
(def ^:private function [callable? "a function"])
(def ^:private millis (integer 0 Long/MAX_VALUE "a whole number of milliseconds, 0 or more"))
(def ^:private file
  [#(or (and (string? %) (not (str/blank? %))) (instance? Path %) (instance? File %)) "the path of a file"])
(def ^:private text [#(and (string? %) (not (str/blank? %))) "a string"])
(def ^:private port (integer 0 65535))
(def ^:private strings #(and (coll? %) (not (map? %)) (every? string? %)))

(def ^:private without-effect
  #{:pool-opts :n-threads :n-min-threads :n-max-threads :queue-type :prefix
    :allow-virtual? :legacy-content-length?
    :max-threads :min-threads :max-queued-requests :thread-idle-timeout :daemon?})

(def ^:private refused
  "What cannot be honoured, and what to do instead."
  {:ssl-context "Name a :keystore with its :key-password, or PEM files by :cert and :key."
   :configurator "There is no Jetty to configure."
   :http2? "There is no HTTP/2 yet."})

(def ^:private kinds
  {:port port, :ssl-port port
   :ip text, :host text
   :unix-socket file
   :address-finder function, :channel-factory function
   :transport (one-of :auto :io-uring :epoll :nio)
   :loops (integer 1 1024)
   :backlog (integer 1)
   :ring-async? flag, :async? flag, :join? flag, :legacy-return-value? flag
   :max-concurrent-requests (integer 1), :queue-size (integer 1), :thread (integer 1)
   :worker-name-prefix text
   ::channel-view function ; of the namespaces of http-kit: what programs get as a channel
   :worker-pool [#(or (instance? Executor %) (instance? IDeref %)) "an ExecutorService, or a delay of one"]
   :max-body (integer -1 Long/MAX_VALUE "a whole number of bytes, or -1 for no limit")
   :max-line (integer 1), :max-headers (integer 1), :max-header-bytes (integer 1)
   :max-ws (integer 1), :ws-max-text-size (integer 1), :ws-max-binary-size (integer 1), :max-pending (integer 1)
   :ws-origins [#(or (= :any %) (strings %)) "a collection of origins, such as [\"https://app.example.org\"], or :any"]
   :ws-compression? flag
   :ws-idle-timeout millis, :idle-timeout millis, :max-idle-time millis, :header-timeout millis
   :body-timeout millis, :handler-timeout millis, :write-timeout millis
   :server-header [#(or (nil? %) (string? %)) "a string, or nil for none"]
   :send-server-version? flag
   :http? flag, :ssl? flag
   :keystore file, :cert file, :key file, :client-ca file
   :key-password [string? "a string"]
   :client-auth (one-of :want :need :none)
   :trusted-proxies [#(or (callable? %) (and (coll? %) (not (map? %)) (every? string? %)))
                     "a collection of addresses and ranges, such as [\"127.0.0.1\" \"10.0.0.0/8\"], or a predicate of an InetAddress"]
   :forwarded-headers [#(and (coll? %) (every? #{:forwarded :x-forwarded-for :x-forwarded-proto :x-forwarded-host} %))
                       "a collection of :x-forwarded-for, :x-forwarded-proto and :x-forwarded-host, or [:forwarded]"]
   :proxy-protocol [#{:enable :disable}
                    ":enable or :disable, since each connection of a listener begins with the header, or none does"]
   :legacy-unsafe-remote-addr? flag
   :error-logger function, :event-logger function, :warn-logger function
   :event-names [#(and (map? %) (every? string? (keys %)) (every? string? (vals %))) "a map of strings"]})

(def ^:private secrets #{:key-password})

(defn- shown
  "Returns a value as a message names it."
  [option value]
  (cond
    (secrets option) (str "an object of " (some-> value class .getName))
    (string? value) (str "the string " (pr-str (if (< 100 (count value)) (subs value 0 100) value)))
    (fn? value) "a function"
    :else (binding [*print-length* 5 *print-level* 2] (pr-str value))))

(def defaults
  {:port 8090
   :max-body (* 8 1024 1024)
   :max-line 8192
   :max-headers 100
   :max-header-bytes (* 64 1024)
   :max-ws (* 4 1024 1024)
   :max-pending (* 1024 1024)
   :ssl-port 443
   :forwarded-headers [:x-forwarded-for :x-forwarded-proto]
   :proxy-protocol :disable
   :legacy-return-value? true})

;; ---- addresses of proxies

(defn- literal
  "Returns the address that a string spells; no name is looked up."
  ^InetAddress [given string]
  (try
    (InetAddress/ofLiteral string)
    (catch IllegalArgumentException _
      (refuse ":trusted-proxies has " (pr-str given) ", which is neither an IP address nor a range such as \"10.0.0.0/8\"."))))

(defn- in-range
  "Returns a predicate of the bytes of addresses: whether the first n bits are those of a network."
  [^bytes network ^long n]
  (let [whole (quot n 8)
        mask (bit-and 0xff (bit-shift-left 0xff (- 8 (rem n 8))))]
    (fn [^bytes address]
      (and (= (alength address) (alength network))
           (java.util.Arrays/equals address 0 whole network 0 whole)
           (or (zero? mask) ; the range ends with a byte
               (= (bit-and mask (aget address whole)) (bit-and mask (aget network whole))))))))

(defn- network
  "Returns a predicate of the bytes of addresses, for an address or a range."
  [given]
  (let [[address bits] (str/split given #"/" 2)
        bytes (.getAddress (literal given address))
        size (* 8 (alength bytes))
        n (if bits (if (re-matches #"\d{1,3}" bits) (Long/parseLong bits) -1) size)]
    (when-not (<= 0 n size)
      (refuse ":trusted-proxies has " (pr-str given) ", whose range must end with /0 to /" size "."))
    (in-range bytes n)))

(defn trusts
  "Returns a predicate of socket addresses for :trusted-proxies."
  ^Predicate [proxies]
  (let [trusted? (if (coll? proxies)
                   (let [networks (mapv network proxies)]
                     (fn [^InetAddress address]
                       (let [bytes (.getAddress address)] (boolean (some #(% bytes) networks)))))
                   proxies)]
    (reify Predicate
      (test [_ address]
        (boolean (and (instance? InetSocketAddress address)
                      (trusted? (.getAddress ^InetSocketAddress address))))))))

;; ---- all of them

(defn path ^Path [file]
  (if (instance? Path file) file (Paths/get (str file) (make-array String 0))))

(defn- check-tls [{:keys [ssl? keystore cert key client-auth client-ca] :as opts}]
  (let [given (filter #(contains? opts %) [:ssl-port :keystore :key-password :cert :key :client-auth :client-ca])]
    (when (and (seq given) (not (contains? opts :ssl?)))
      (refuse (first given) " has no effect without :ssl? true; add that to serve HTTPS, or :ssl? false to serve HTTP only.")))
  (when (and (false? (:http? opts)) (not ssl?))
    (refuse ":http? false leaves nothing to serve; add :ssl? true with a certificate."))
  (when ssl?
    (when (:unix-socket opts)
      (refuse ":unix-socket serves HTTP only; leave :ssl? out, or listen on a port."))
    (when-not (or keystore (and cert key))
      (refuse ":ssl? needs a :keystore with its :key-password, or PEM files by :cert and :key."))
    (when (and (#{:want :need} client-auth) (not client-ca))
      (refuse ":client-auth needs :client-ca, a PEM file of the authorities that may issue certificates of clients."))
    (when (and client-ca (not client-auth))
      (refuse ":client-ca has no effect without :client-auth, which is :want or :need."))))

(defn- check-kinds [opts]
  (doseq [[option value] opts
          :let [[admits? what] (kinds option)]
          :when (and admits? (not (admits? value)))]
    (refuse option " is " what ", not " (shown option value) ".")))

(defn checked
  "Returns the options with their defaults. Throws for those that cannot be honoured, before anything is
  started. Passes a message about those that are unknown to warn."
  [handler opts warn]
  (when-not (callable? handler)
    (refuse "The handler is a function or a var of one, not " (if (nil? handler) "nil" (shown nil handler)) "."))
  (when-not (or (nil? opts) (map? opts))
    (refuse "run-server takes a map of options, such as {:port 8080}, not " (shown nil opts) "."))
  (let [opts (into {} (remove (fn [[option value]] (and (nil? value) (not= :server-header option)))) opts)]
    (doseq [[option instead] refused :when (get opts option)]
      (refuse option " is not supported. " instead))
    (check-kinds opts)
    (check-tls opts)
    (when (and (= :enable (:proxy-protocol opts)) (not (:trusted-proxies opts)))
      (refuse ":proxy-protocol needs :trusted-proxies: anybody else could claim to be any client."))
    (when-let [proxies (:trusted-proxies opts)] (trusts proxies))
    (when (and (:channel-factory opts) (not (:address-finder opts)))
      (refuse ":channel-factory is not called, since the server opens its sockets itself. Name the address by :address-finder, or a"
              " Unix socket by :unix-socket."))
    (when-let [option (and (:address-finder opts) (some #(when (contains? opts %) %) [:ip :host :port :unix-socket]))]
      (refuse ":address-finder returns the address, and " option " names another; leave one of them out."))
    (let [unknown (remove #(or (kinds %) (without-effect %) (contains? refused %)) (keys opts))]
      (when (seq unknown)
        (warn opts (str "run-server ignores options that it does not know: " (pr-str (vec (sort-by str unknown)))))))
    (merge defaults opts)))

(defn timeout
  "Returns the :timeout of a stop, in milliseconds."
  [opts]
  (let [given (get opts :timeout 100)
        [admits? what] millis]
    (when-let [unknown (seq (remove #{:timeout} (keys opts)))]
      (refuse "A stop takes :timeout, not " (first unknown) "."))
    (when-not (admits? given)
      (refuse ":timeout is " what ", not " (shown :timeout given) "."))
    (long given)))
