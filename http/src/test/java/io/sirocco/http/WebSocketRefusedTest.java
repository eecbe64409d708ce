// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.TransportKind;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A listener is notified when its socket does not open, and of nothing else then. */
class WebSocketRefusedTest {
    private final LinkedBlockingQueue<String> calls = new LinkedBlockingQueue<>();
    private final WebSocketListener listener =
            new WebSocketListener() {
                @Override
                public void onRefused() {
                    calls.add("refused");
                    throw new IllegalStateException("on purpose");
                }

                @Override
                public void onOpen(WebSocket socket) {
                    calls.add("open");
                }

                @Override
                public void onClose(WebSocket socket, WebSocket.Closed closed) {
                    calls.add("close");
                }
            };

    private Socket sent(Serving serving, String request) throws IOException {
        var socket = new Socket(InetAddress.getLoopbackAddress(), serving.server.port());
        socket.setSoTimeout(15_000);
        socket.getOutputStream().write(request.replace("\n", "\r\n").getBytes(US_ASCII));
        return socket;
    }

    private String next() throws InterruptedException {
        return calls.poll(15, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void aHandshakeThatIsRefused(TransportKind transport) throws Exception {
        try (var serving =
                new Serving(
                        transport,
                        c -> {},
                        routes -> routes.get("/ws", r -> Response.webSocket(listener)))) {
            String good = WebSocketPeer.request("/ws");
            String[][] cases = {
                {"GET /ws HTTP/1.1\nHost: a\n\n", "426"},
                {good.replace("Version: 13", "Version: 8"), "426"},
                {good.replace("\nUpgrade", "\nOrigin: https://other.example\nUpgrade"), "403"}
            };
            for (String[] each : cases) {
                try (Socket socket = sent(serving, each[0]);
                        var in =
                                new BufferedReader(
                                        new InputStreamReader(socket.getInputStream()))) {
                    assertTrue(in.readLine().startsWith("HTTP/1.1 " + each[1] + " "), each[0]);
                    assertEquals("refused", next());
                }
            }
            try (Socket socket = sent(serving, good);
                    var in = new BufferedReader(new InputStreamReader(socket.getInputStream()))) {
                assertTrue(in.readLine().startsWith("HTTP/1.1 101 "));
                assertEquals("open", next());
            }
            assertEquals("close", next());
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void aClientThatHasGone(TransportKind transport) throws Exception {
        var asked = new CountDownLatch(1);
        try (var serving =
                new Serving(
                        transport,
                        c -> {},
                        routes ->
                                routes.get(
                                        "/ws",
                                        r -> {
                                            var gone = new CountDownLatch(1);
                                            r.onDisconnect(gone::countDown);
                                            asked.countDown();
                                            gone.await();
                                            return Response.webSocket(listener);
                                        }))) {
            try (Socket socket = sent(serving, WebSocketPeer.request("/ws"))) {
                assertTrue(asked.await(15, TimeUnit.SECONDS));
                socket.setSoLinger(true, 0);
            }
            assertEquals("refused", next());
        }
    }
}
