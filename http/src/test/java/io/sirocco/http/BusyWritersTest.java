// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Serving.Mode;
import io.sirocco.net.TransportKind;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Writers that send again and again, compute in between and never park. */
@Timeout(120)
class BusyWritersTest extends OnTheWire {
    @Override
    void routes(Routes routes) {}

    private static void compute() {
        long end = System.nanoTime() + 1_000_000;
        while (System.nanoTime() < end) {
            Thread.onSpinWait();
        }
    }

    /**
     * Each goes on until another request, on the same loop, says that its client has had a piece.
     */
    private void goOnUntilTheClientHasAPiece(BodyWriter writer, AtomicBoolean enough)
            throws Exception {
        for (TransportKind transport : TRANSPORTS) {
            for (Mode mode : modes()) {
                enough.set(false);
                try (var serving =
                                new Serving(
                                        transport,
                                        mode,
                                        c -> {},
                                        r ->
                                                r.get("/ticks", q -> Response.stream(writer))
                                                        .get(
                                                                "/enough",
                                                                q -> {
                                                                    enough.set(true);
                                                                    return Response.text("ok");
                                                                }));
                        Client ticks = serving.client();
                        Client other = serving.client()) {
                    ticks.send("GET /ticks HTTP/1.1\nHost: a\n\n");
                    ticks.until("tick");
                    other.send("GET /enough HTTP/1.1\nHost: a\n\n");
                    String answer = other.until("\r\n\r\n");
                    assertTrue(answer.startsWith("HTTP/1.1 200 OK\r\n"), answer);
                    ticks.until("0\r\n\r\n");
                }
            }
        }
    }

    @Test
    void aStreamThatIsFlushed() throws Exception {
        var enough = new AtomicBoolean();
        goOnUntilTheClientHasAPiece(
                out -> {
                    while (!enough.get()) {
                        compute();
                        out.write("tick".getBytes());
                        out.flush();
                    }
                },
                enough);
    }

    @Test
    void events() throws Exception {
        var enough = new AtomicBoolean();
        goOnUntilTheClientHasAPiece(
                out -> {
                    var sink = new SseSink(out);
                    while (!enough.get()) {
                        compute();
                        sink.send("tick");
                    }
                },
                enough);
    }
}
