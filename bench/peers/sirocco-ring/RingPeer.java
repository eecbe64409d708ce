// SPDX-License-Identifier: Apache-2.0
import clojure.java.api.Clojure;
import clojure.lang.IFn;

/** A Ring handler as a peer in the race, started as a program of Clojure would do it. */
final class RingPeer {
    private static final String PROGRAM =
            """
            (do
              (require 'sirocco.ring)
              (defn app [request]
                (if (= "/virtual" (:uri request))
                  {:status 200 :headers {"Content-Type" "text/plain"} :body "Hello, World!"}
                  {:status 404 :headers {} :body "none"}))
              (fn [port]
                (sirocco.ring/run-server app {:ip "127.0.0.1" :port port :loops 1 :server-header nil})))
            """;

    private RingPeer() {}

    public static void main(String[] arguments) {
        var start = (IFn) Clojure.var("clojure.core", "load-string").invoke(PROGRAM);
        start.invoke(Long.parseLong(arguments[0]));
    }
}
