// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.metrics;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.RequestError;
import io.sirocco.http.Response;
import io.sirocco.http.Routes;
import io.sirocco.http.Server;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is counted of a server that serves. */
class MetricsTest {
    private final Metrics metrics = new Metrics();

    private static void routes(Routes routes) {
        routes.get("/hello/{name}", request -> Response.text("Hello"));
        routes.post("/echo", request -> Response.bytes(request.body().bytes()));
        routes.any("/any", request -> Response.empty(204));
        routes.get(
                "/broken",
                request -> {
                    throw new IOException("broken");
                });
        for (int i = 0; i < Metrics.MAX_ROUTES + 50; i++) {
            routes.get("/many/" + i, request -> Response.empty(204));
        }
    }

    private Server serve(int loops) {
        return Server.start(
                config -> config.port(0).loops(loops).maxBodyBytes(100).monitor(metrics),
                MetricsTest::routes);
    }

    /** Sends a request with a body of so many bytes, and answers the status. */
    private static int ask(Server server, String method, String path, int body) throws IOException {
        String head =
                "%s %s HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
                        .formatted(method, path, body);
        return send(server, head + "x".repeat(body));
    }

    private static int send(Server server, String bytes) throws IOException {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(bytes.getBytes(US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), US_ASCII);
            return Integer.parseInt(answer.substring(9, 12));
        }
    }

    @Test
    void requestsAreCountedByRouteMethodAndStatus() throws Exception {
        try (Server server = serve(2)) {
            for (int i = 0; i < 3; i++) {
                ask(server, "GET", "/hello/" + i, 0);
            }
            ask(server, "POST", "/echo", 10);
            ask(server, "POST", "/echo", 101);
            ask(server, "GET", "/none", 0);
            ask(server, "BREW", "/any", 0);
            ask(server, "KNOCK", "/any", 0);
            ask(server, "GET", "/broken", 0);
        }
        Totals totals = metrics.totals();
        RouteTotals hello = totals.routes().get("/hello/{name}");
        assertEquals(Map.of(new Outcome("GET", 200), 3L), hello.requests());
        assertEquals(3, hello.latency().count());
        assertTrue(hello.latency().nanos() > 0);
        assertEquals(15, hello.bytesOut());
        RouteTotals echo = totals.routes().get("/echo");
        assertEquals(
                Map.of(new Outcome("POST", 200), 1L, new Outcome("POST", 413), 1L),
                echo.requests());
        assertEquals(10, echo.bytesIn());
        assertEquals(
                Map.of(new Outcome("GET", 404), 1L),
                totals.routes().get(Metrics.NO_ROUTE).requests());
        assertEquals(Map.of(new Outcome("other", 204), 2L), totals.routes().get("/any").requests());
        assertEquals(Map.of(RequestError.BODY_TOO_LARGE, 1L), totals.refused());
        assertEquals(1, totals.failed());
        assertEquals(9, totals.all().latency().count());
        assertEquals(2, totals.all().requests(400, 500));
    }

    @Test
    void aRefusedHeadIsCountedByItsRule() throws Exception {
        try (Server server = serve(1)) {
            assertEquals(400, send(server, "GET / HTTP/1.1\r\n\r\n"));
        }
        assertEquals(Map.of(RequestError.HOST_MISSING, 1L), metrics.totals().refused());
        RouteTotals refused = metrics.totals().routes().get(Metrics.REFUSED);
        assertEquals(Map.of(new Outcome("GET", 400), 1L), refused.requests());
        assertEquals(0, refused.latency().count());
    }

    @Test
    void theNumberOfRoutesIsBounded() throws Exception {
        int all = Metrics.MAX_ROUTES + 50;
        try (Server server = serve(1)) {
            for (int i = 0; i < all; i++) {
                assertEquals(204, ask(server, "GET", "/many/" + i, 0));
            }
        }
        Totals totals = metrics.totals();
        assertEquals(Metrics.MAX_ROUTES + 1, totals.routes().size());
        assertEquals(50, totals.routes().get(Metrics.OTHER_ROUTES).latency().count());
    }
}
