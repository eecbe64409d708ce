// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Serving.Mode;
import io.sirocco.net.TransportKind;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Connections of one loop have their turns, however many messages one of them sends. */
@Timeout(60)
class WebSocketTurnsTest {
    private static final int MESSAGES = 4_000;

    private final CountDownLatch held = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);
    private final AtomicInteger received = new AtomicInteger();
    private final CompletableFuture<Integer> receivedBefore = new CompletableFuture<>();
    private final CompletableFuture<Void> all = new CompletableFuture<>();

    private void routes(Routes routes) {
        var sockets = WebSockets.of(settings -> {});
        var many =
                new WebSocketListener() {
                    @Override
                    public void onText(WebSocket socket, String text) {
                        if (received.incrementAndGet() == MESSAGES) {
                            all.complete(null);
                        }
                    }
                };
        var one =
                new WebSocketListener() {
                    @Override
                    public void onText(WebSocket socket, String text) {
                        receivedBefore.complete(received.get());
                    }
                };
        routes.get("/many", _ -> Response.webSocket(sockets, many));
        routes.get("/one", _ -> Response.webSocket(sockets, one));
        routes.get("/ready", _ -> Response.text("ready"));
        routes.get("/hold", _ -> hold());
    }

    private Response hold() throws InterruptedException {
        held.countDown();
        release.await();
        return Response.text("held");
    }

    static Stream<Arguments> kinds() {
        return OnTheWire.TRANSPORTS.stream()
                .flatMap(t -> Stream.of(Arguments.of(t, false), Arguments.of(t, true)));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void othersComeBetween(TransportKind transport, boolean secure) throws Exception {
        try (var serving = new Serving(transport, Mode.INLINE, secure, config -> {}, this::routes);
                var many = WebSocketPeer.open(serving, "/many");
                var one = WebSocketPeer.open(serving, "/one");
                Client holder = serving.client()) {
            holder.send("GET /ready HTTP/1.1\nHost: a\n\n");
            holder.until("\r\n\r\nready");
            holder.send("GET /hold HTTP/1.1\nHost: a\n\n");
            held.await();
            for (int i = 0; i < MESSAGES; i++) { // over TLS in a record each
                many.text(".");
            }
            one.text("!");
            release.countDown();
            all.get();
            int before = receivedBefore.get();
            assertTrue(before <= MESSAGES / 4, () -> before + " came first");
        }
    }
}
