// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.net.Loops;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.util.HexFormat;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What comes before a violation of the protocol is answered, wherever its listener runs. */
class WebSocketViolationTest {
    private static final String HANDSHAKE =
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                    + "Sec-WebSocket-Version: 13\r\n"
                    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    private static final String TEXT = "8182" + "00000000" + "6869"; // hi
    private static final String RESERVED = "f180" + "00000000"; // with all reserved bits

    private final CountDownLatch open = new CountDownLatch(1);
    private Serving serving;

    private final WebSocketListener echo =
            new WebSocketListener() {
                private boolean first = true;

                @Override
                public void onText(WebSocket socket, String text) {
                    if (first) {
                        first = false;
                        until(() -> blockers() > 0); // from then on it is called elsewhere
                    } else {
                        await();
                    }
                    socket.trySend(text);
                }
            };

    private int blockers() {
        return serving.server.stats().getFirst().net().blockingTaskKinds();
    }

    private void await() {
        try {
            open.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void until(BooleanSupplier happened) {
        long end = System.nanoTime() + 20_000_000_000L;
        while (!happened.getAsBoolean()) {
            assertTrue(System.nanoTime() < end, "it has not happened");
            LockSupport.parkNanos(100_000);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = TransportKind.class,
            names = {"NIO", "IO_URING"})
    void isToldBehindTheAnswers(TransportKind transport) throws Exception {
        assumeTrue(Loops.carriesVirtualThreads(), "the JVM was not started for it");
        serving =
                new Serving(
                        transport,
                        config -> {},
                        routes -> routes.get("/", request -> Response.webSocket(echo)));
        try (Serving closing = serving;
                var socket = new Socket("127.0.0.1", closing.server.port())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(HANDSHAKE.getBytes());
            InputStream in = socket.getInputStream();
            var head = new StringBuilder();
            while (head.indexOf("\r\n\r\n") < 0) {
                head.append((char) in.read());
            }
            send(socket, TEXT);
            assertEquals("81026869", next(in, 4));
            long before = serving.server.stats().getFirst().net().bytesIn();
            send(socket, TEXT + RESERVED);
            until(() -> serving.server.stats().getFirst().net().bytesIn() >= before + 14);
            open.countDown();
            assertEquals("81026869", next(in, 4));
            assertEquals("88", next(in, 1));
            byte[] payload = in.readNBytes(in.read());
            assertEquals(1002, (payload[0] & 0xff) << 8 | payload[1] & 0xff);
            assertEquals(-1, in.read());
        }
    }

    private static void send(Socket socket, String hex) throws IOException {
        socket.getOutputStream().write(HexFormat.of().parseHex(hex));
    }

    private static String next(InputStream in, int length) throws IOException {
        return HexFormat.of().formatHex(in.readNBytes(length));
    }
}
