// SPDX-License-Identifier: Apache-2.0
package examples;

import io.sirocco.http.Monitor;
import io.sirocco.http.Response;
import io.sirocco.http.Server;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

/**
 * Counts the reports of the server to its monitor, which runs on the event loops.
 *
 * <pre>
 *   curl http://localhost:8080/metrics
 * </pre>
 */
public final class Metrics {

    static Server start(int port) {
        var counts = new Counts();
        return Server.start(
                config -> config.port(port).monitor(counts),
                routes ->
                        routes.get("/hello/{name}", r -> Response.text("Hello, " + r.param("name")))
                                .get("/metrics", request -> Response.text(counts.toString())));
    }

    /** Counts by route and status; targets would let clients create any number of names. */
    static final class Counts implements Monitor {
        private final Map<String, LongAdder> all = new ConcurrentHashMap<>();

        @Override
        public void completed(CompletedRequest answered) {
            String route = answered.route().isEmpty() ? "none" : answered.route();
            add("answered{route=\"%s\",status=\"%d\"}".formatted(route, answered.status()), 1);
            add("sent_bytes{route=\"%s\"}".formatted(route), answered.bytesOut());
        }

        @Override
        public void rejected(RejectedRequest rejected) {
            add("rejected{rule=\"%s\"}".formatted(rejected.error()), 1);
        }

        @Override
        public void handlerFailed(String requestId, Throwable thrown) {
            add("failed{exception=\"%s\"}".formatted(thrown.getClass().getSimpleName()), 1);
        }

        private void add(String name, long amount) {
            all.computeIfAbsent(name, _ -> new LongAdder()).add(amount);
        }

        @Override
        public String toString() {
            return new TreeMap<>(all)
                    .entrySet().stream()
                            .map(each -> each.getKey() + " " + each.getValue() + "\n")
                            .collect(Collectors.joining());
        }
    }

    void main(String[] arguments) {
        Server server = start(arguments.length == 0 ? 8080 : Integer.parseInt(arguments[0]));
        IO.println("http://127.0.0.1:" + server.port() + "/metrics");
    }
}
