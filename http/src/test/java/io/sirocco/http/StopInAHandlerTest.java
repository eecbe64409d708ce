// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Serving.Mode;
import io.sirocco.net.TransportKind;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A handler that stops its own server is told so, instead of waiting for itself. */
@Timeout(60)
class StopInAHandlerTest {
    private static final Duration LONG = Duration.ofMinutes(10);

    private static String stopped(Server server) {
        try {
            server.stop(LONG);
            return "stopped";
        } catch (IllegalStateException e) {
            return e.getMessage();
        }
    }

    @Test
    void stopRefuses() throws Exception {
        for (Mode mode : Mode.values()) {
            var self = new AtomicReference<Server>();
            try (var serving =
                            new Serving(
                                    TransportKind.AUTO,
                                    mode,
                                    c -> {},
                                    routes ->
                                            routes.get(
                                                            "/stop",
                                                            r -> Response.text(stopped(self.get())))
                                                    .get(
                                                            "/write",
                                                            r ->
                                                                    Response.stream(
                                                                            (BodyWriter)
                                                                                    out ->
                                                                                            out
                                                                                                    .write(
                                                                                                            stopped(
                                                                                                                            self
                                                                                                                                    .get())
                                                                                                                    .getBytes())))
                                                    .get(
                                                            "/later",
                                                            r -> {
                                                                Thread.startVirtualThread(
                                                                        () ->
                                                                                self.get()
                                                                                        .stop(
                                                                                                LONG));
                                                                return Response.text("soon");
                                                            }));
                    Client client = serving.client()) {
                self.set(serving.server);
                client.send("GET /stop HTTP/1.1\nHost: a\n\nGET /write HTTP/1.1\nHost: a\n\n");
                client.send("GET /later HTTP/1.1\nHost: a\n\n");
                String all = client.untilEnd();
                String first = mode == Mode.INLINE ? "An event loop" : "A handler";
                assertTrue(all.contains(first + " cannot stop its own server"), mode + all);
                assertTrue(
                        all.indexOf("A handler cannot stop", all.indexOf("200 OK", 20)) > 0,
                        mode + all);
                assertTrue(all.contains("soon"), mode + all);
                serving.await("the server to stop", () -> !serving.server.isRunning());
            }
        }
    }
}
