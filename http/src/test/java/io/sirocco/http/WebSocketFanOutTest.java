// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Serving.Mode;
import io.sirocco.http.websocket.Frame;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One message for many, of whom one does not read. */
@Timeout(60)
class WebSocketFanOutTest {
    private static final int CLIENTS = 200;
    private static final int MESSAGES = 300;
    private static final int PENDING = 64 << 10;

    private final Set<WebSocket> room = ConcurrentHashMap.newKeySet();
    private final AtomicInteger drained = new AtomicInteger();
    private final WebSocketListener listener =
            new WebSocketListener() {
                @Override
                public void onOpen(WebSocket socket) {
                    room.add(socket);
                }

                @Override
                public void onDrained(WebSocket socket) {
                    drained.incrementAndGet();
                }

                @Override
                public void onClose(WebSocket socket, WebSocket.Closed closed) {
                    room.remove(socket);
                }
            };

    private static String text(int i) {
        return "%02000d".formatted(i);
    }

    @ParameterizedTest
    @EnumSource(
            value = TransportKind.class,
            names = {"IO_URING", "EPOLL"})
    void aStalledReaderCostsTheOthersNothing(TransportKind transport) throws Exception {
        WebSockets sockets = WebSockets.of(s -> s.maxPendingBytes(PENDING));
        try (var serving =
                new Serving(
                        transport,
                        Mode.VIRTUAL,
                        config -> {},
                        routes ->
                                routes.get(
                                        "/", request -> Response.webSocket(sockets, listener)))) {
            var clients = new ArrayList<Socket>();
            for (int i = 0; i <= CLIENTS; i++) {
                clients.add(open(serving.server.port()));
            }
            serving.await("all are there", () -> room.size() == CLIENTS + 1);
            Socket stalled = clients.removeLast();
            WebSocket slow = stall(stalled);
            drained.set(0); // of those between
            for (int i = 0; i < MESSAGES; i++) {
                PreparedMessage message = PreparedMessage.text(text(i));
                assertEquals(CLIENTS, message.sendTo(room), "message " + i);
                assertTrue(slow.pending() <= PENDING + 2_004, slow.pending() + " pending");
                byte[] frame = Frame.of(Frame.FIN | Frame.TEXT, text(i).getBytes(ISO_8859_1));
                for (Socket client : clients) {
                    assertArrayEquals(frame, read(client, frame.length));
                }
            }
            assertEquals(0, drained.get());
            var more = new Thread(() -> skipAll(stalled));
            more.start();
            serving.await("the slow one has caught up", () -> drained.get() == 1);
            assertTrue(slow.trySend("and goes on"));
            for (Socket client : clients) {
                client.close();
            }
            stalled.close();
            more.join();
            serving.await("all are gone", room::isEmpty);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = TransportKind.class,
            names = {"IO_URING", "EPOLL"})
    void whatIsSentWithinATurnLeavesInOneWrite(TransportKind transport) throws Exception {
        try (var serving =
                        new Serving(
                                transport,
                                Mode.VIRTUAL,
                                config -> {},
                                routes -> routes.get("/", r -> Response.webSocket(listener)));
                var client = open(serving.server.port())) {
            serving.await("it is there", () -> room.size() == 1);
            WebSocket socket = room.iterator().next();
            var message = PreparedMessage.text("prepared");
            for (int round = 0; round < 20; round++) {
                var held = new CountDownLatch(1);
                var go = new CountDownLatch(1);
                socket.execute(
                        () -> {
                            held.countDown();
                            try {
                                go.await();
                            } catch (InterruptedException e) {
                                throw new AssertionError(e);
                            }
                        });
                held.await();
                for (int i = 0; i < 50; i++) {
                    assertTrue(socket.trySend("a text !"));
                    assertEquals(1, message.sendTo(room));
                }
                assertEquals(1_000, socket.pending());
                go.countDown();
                assertEquals(1_000, client.getInputStream().read(new byte[4_000]));
            }
        }
    }

    /** Sends to one client until it is full, and answers its socket. */
    private WebSocket stall(Socket client) {
        WebSocket slow =
                List.copyOf(room).stream()
                        .filter(
                                s ->
                                        ((InetSocketAddress) s.remoteAddress()).getPort()
                                                == client.getLocalPort())
                        .findFirst()
                        .orElseThrow();
        int sent = 0;
        while (slow.trySend(text(sent))) {
            sent++;
            assertTrue(sent < 50_000, "the system takes all of it");
            if (slow.pending() > PENDING / 2) {
                Thread.yield(); // the kernel has its turn
            }
        }
        // The kernel may still take some: full is what stays full.
        for (int calm = 0; calm < 200; calm++) {
            if (slow.trySend(text(sent))) {
                calm = 0;
            }
            java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
        }
        return slow;
    }

    private static Socket open(int port) throws IOException {
        var socket = new Socket();
        socket.setReceiveBufferSize(32 << 10);
        socket.setSoTimeout(20_000);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        socket.getOutputStream()
                .write(WebSocketPeer.request("/").replace("\n", "\r\n").getBytes(ISO_8859_1));
        var head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            head.append((char) socket.getInputStream().read());
        }
        assertTrue(head.toString().startsWith("HTTP/1.1 101 "), head.toString());
        return socket;
    }

    private static byte[] read(Socket client, int length) throws IOException {
        return client.getInputStream().readNBytes(length);
    }

    private static void skipAll(Socket client) {
        try {
            while (client.getInputStream().read(new byte[64 << 10]) >= 0) {
                // on
            }
        } catch (IOException e) {
            // it was closed
        }
    }
}
