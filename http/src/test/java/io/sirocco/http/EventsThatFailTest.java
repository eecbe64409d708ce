// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Serving.Mode;
import io.sirocco.net.TransportKind;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Streams of events whose writer throws: before anything was sent that is a plain 500. */
class EventsThatFailTest extends OnTheWire {
    @Override
    void routes(Routes routes) {
        routes.get(
                "/throws",
                request ->
                        Response.events(
                                sink -> {
                                    throw new IllegalStateException("no database");
                                }));
        routes.get("/bad", request -> Response.events(sink -> sink.send("a\nb", "data")));
        routes.get("/none", request -> Response.events(sink -> {}));
        routes.get("/one", request -> Response.events(sink -> sink.send("x")));
    }

    private Answer get(String path) {
        return wireWhole("GET " + path + " HTTP/1.1\nHost: a\n\n");
    }

    @Test
    void aWriterThatThrowsAtOnce() {
        get("/throws").answers(500, "Internal Server Error").goesOn();
    }

    @Test
    void anEventThatCannotBe() {
        get("/bad").answers(500, "Internal Server Error").goesOn();
    }

    @Test
    void noEventAndOne() {
        get("/none").answers(200, "").header("Content-Type", "text/event-stream").goesOn();
        get("/one").answers(200, "data: x\n\n").goesOn();
    }

    @Test
    void theHeadDoesNotWaitForTheFirstEvent() throws Exception {
        for (TransportKind transport : TRANSPORTS) {
            for (Mode mode : modes()) {
                var seen = new CountDownLatch(1);
                try (var serving =
                                new Serving(
                                        transport,
                                        mode,
                                        c -> {},
                                        r ->
                                                r.get(
                                                        "/late",
                                                        q ->
                                                                Response.events(
                                                                        sink -> {
                                                                            seen.await();
                                                                            throw new Error("late");
                                                                        })));
                        Client client = serving.client()) {
                    client.send("GET /late HTTP/1.1\nHost: a\n\n");
                    String head = client.until("\r\n\r\n");
                    assertTrue(head.startsWith("HTTP/1.1 200 OK\r\n"), head);
                    seen.countDown();
                    serving.await("the stream breaks off", client::hasEnded);
                    serving.await("the end is told", () -> serving.stats().inProgress() == 0);
                    assertEquals(1, serving.failures().size());
                }
            }
        }
    }
}
