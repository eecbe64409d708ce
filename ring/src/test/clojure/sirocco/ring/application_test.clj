;; SPDX-License-Identifier: Apache-2.0
(ns sirocco.ring.application-test
  "An application with Ring's own middleware. Without Ring on the class path these tests are skipped."
  (:require [clojure.string :as str]
            [clojure.test :refer [deftest is]]
            [sirocco.ring :as ring]
            [sirocco.ring.conformance :as conformance]
            [sirocco.ring.conformance.wire :as wire])
  (:import (java.io OutputStream)))

(defn- ring-var [name] @(requiring-resolve name))

(defn- lint
  "Checks the requests of a handler."
  [handler]
  (fn [request]
    (if-let [problems (conformance/request-problems request)]
      (throw (IllegalArgumentException. ^String problems))
      (handler request))))

(defmacro ^:private serving [[port handler opts] & body]
  `(let [stop# (ring/run-server ~handler (merge {:port 0 :ip "127.0.0.1" :loops 1} ~opts))
         ~port (:local-port (meta stop#))]
     (try ~@body (finally (stop#)))))

(defn- text [body] {:status 200 :headers {"Content-Type" "text/plain"} :body body})

(defn- application
  "Returns a handler as programs have it: parameters, a session, static resources, all of it checked twice."
  []
  (-> (fn [{:keys [uri params session multipart-params]}]
        (case uri
          "/params" (text (pr-str (into (sorted-map) params)))
          "/upload" (let [{:keys [filename size tempfile]} (get multipart-params "file")]
                      (text (pr-str [filename size (slurp tempfile)])))
          "/count" (let [n (inc (:n session 0))]
                     (assoc (text (str n)) :session {:n n}))
          "/redirect" {:status 302 :headers {"Location" "/count"} :body ""}
          {:status 404 :headers {"Content-Type" "text/plain"} :body "none"}))
      lint
      ((ring-var 'ring.middleware.keyword-params/wrap-keyword-params))
      ((ring-var 'ring.middleware.multipart-params/wrap-multipart-params))
      ((ring-var 'ring.middleware.params/wrap-params))
      ((ring-var 'ring.middleware.session/wrap-session))
      ((ring-var 'ring.middleware.resource/wrap-resource) "public")
      ((ring-var 'ring.middleware.content-type/wrap-content-type))
      ((ring-var 'ring.middleware.not-modified/wrap-not-modified))
      ((ring-var 'ring.middleware.head/wrap-head))
      lint))

(deftest ^:ring an-application-with-rings-middleware
  (serving [port (application)]
    (is (= "{:a \"1\", :b \"x y\", :c \"ä\"}"
           (wire/text (wire/post port "/params?a=1" "b=x+y&c=%C3%A4" "Content-Type: application/x-www-form-urlencoded"))))
    (let [first-time (wire/fetch port "/count")
          cookie (first (str/split (wire/header first-time "set-cookie") #";"))]
      (is (= "1" (wire/text first-time)))
      (is (= ["2" "3"] (repeatedly 2 #(wire/text (wire/fetch port "/count" (str "Cookie: " cookie)))))))
    (is (= "[\"a.txt\" 5 \"hello\"]"
           (wire/text (wire/post port "/upload"
                                 (str "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n"
                                      "Content-Type: text/plain\r\n\r\nhello\r\n--x--\r\n")
                                 "Content-Type: multipart/form-data; boundary=x"))))
    (let [page (wire/fetch port "/page.html")
          modified (wire/header page "last-modified")]
      (is (str/includes? (wire/text page) "A static resource"))
      (is (= "text/html" (wire/header page "content-type")))
      (is (= 304 (:status (wire/fetch port "/page.html" (str "If-Modified-Since: " modified)))))
      (is (= (wire/header page "content-length")
             (wire/header (wire/exchange port "HEAD /page.html HTTP/1.1\nHost: a\n\n") "content-length"))))
    (is (= [302 "/count"] ((juxt :status #(wire/header % "location")) (wire/fetch port "/redirect"))))
    (is (= 404 (:status (wire/fetch port "/none"))))))

(deftype Streamed [write])

(defn- streamed
  "Returns an object of a type that only Ring's protocol knows how to write."
  [write]
  (extend Streamed @(requiring-resolve 'ring.core.protocols/StreamableResponseBody)
          {:write-body-to-stream (fn [body response out] ((.-write ^Streamed body) response out))})
  (Streamed. write))

(deftest ^:ring a-body-of-rings-protocol
  (serving [port (fn [_]
                   {:status 200
                    :headers {"X-A" "1"}
                    :body (streamed (fn [response ^OutputStream out]
                                      (with-open [out out]
                                        (.write out (.getBytes (str (get-in response [:headers "X-A"]))))
                                        (.write out (byte-array 20000 (byte 97))))))})]
    (let [response (wire/fetch port "/")]
      (is (= 20001 (alength ^bytes (:body response))))
      (is (= "1a" (subs (wire/text response) 0 2))))))

(deftest ^:ring a-body-that-is-written-after-the-call
  (serving [port (fn [_ respond _]
                   (respond {:status 200
                             :headers {}
                             :body (streamed (fn [_ ^OutputStream out]
                                               (future
                                                 (with-open [out out]
                                                   (dotimes [_ 100] (.write out (byte-array 1000)) (.flush out))))))}))
            {:ring-async? true}]
    (is (= 100000 (alength ^bytes (:body (wire/fetch port "/")))))))

(deftest ^:ring routes-of-compojure
  (let [compile-route #((ring-var 'clout.core/route-compile) %)
        make (ring-var 'compojure.core/make-route)
        handler ((ring-var 'compojure.core/routes)
                 (make :get (compile-route "/users/:id") (fn [{{:keys [id]} :route-params}] (text (str "user " id))))
                 (make :post (compile-route "/echo") (fn [request] {:status 200 :headers {} :body (:body request)}))
                 (make nil (compile-route "*") (fn [_] {:status 404 :headers {} :body "none"})))]
    (serving [port handler]
      (is (= "user 7" (wire/text (wire/fetch port "/users/7"))))
      (is (= "hello" (wire/text (wire/post port "/echo" "hello"))) "a request's body as the response's")
      (is (= 404 (:status (wire/fetch port "/echo")))))))
