// SPDX-License-Identifier: Apache-2.0
package io.sirocco.ring.heavy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.heavy.Child;
import io.sirocco.http.heavy.Crowd;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The heap of connections and WebSockets of Ring that are idle: 1 KB each at most, and 1.6 KB for a
 * WebSocket on NIO, of which the JDK's own objects are half.
 */
@Tag("heavy")
@Timeout(300)
final class IdleTest {
    private static final int IDLE = 5_000;
    private static final int MAX = 1_000;
    private static final int MEGABYTE = 1 << 20;
    private static final String COOKIE = "Cookie: a=" + "c".repeat(5_000) + "\r\n";

    private static final byte[] CHANNEL = bytes("GET /channel HTTP/1.1\r\nHost: a\r\n\r\n");

    private static final byte[] UPLOAD =
            followedByMegabyte(
                    bytes(
                            "POST / HTTP/1.1\r\nHost: a\r\n"
                                    + COOKIE
                                    + "Content-Length: "
                                    + MEGABYTE
                                    + "\r\n\r\n"));

    private static final byte[] UPGRADE =
            bytes(
                    "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            + COOKIE
                            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                            + "Sec-WebSocket-Version: 13\r\n\r\n");

    /** One binary frame, whose mask is zero, and the text that answers it. */
    private static final byte[] MESSAGE =
            followedByMegabyte(
                    ByteBuffer.allocate(14)
                            .put((byte) 0x82)
                            .put((byte) 0xff)
                            .putLong(MEGABYTE)
                            .putInt(0)
                            .array());

    private static final byte[] SIZE = bytes("\u0081\u0007" + MEGABYTE);

    @ParameterizedTest
    @ValueSource(strings = {"io-uring", "nio"})
    void connectionsKeepNothingOfTheirRequests(String transport) throws IOException {
        try (Child server = start(transport)) {
            int port = server.number();
            long empty = warm(server, port);
            try (var crowd = new Crowd(port)) {
                crowd.grow(IDLE, Crowd.HELLO);
                isSmall(server, empty, MAX, transport + ": idle after a small request");
                assertEquals(IDLE, crowd.ask(UPLOAD));
                isSmall(
                        server,
                        empty,
                        MAX,
                        transport + ": idle after 5 KB of cookies and a body of 1 MB");
                assertEquals(IDLE, crowd.ask(CHANNEL));
                isSmall(server, empty, MAX, transport + ": idle after a response of a channel");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"io-uring, 1000", "nio, 1600"})
    void webSocketsKeepNothingOfTheirMessages(String transport, int most) throws IOException {
        try (Child server = start(transport)) {
            int port = server.number();
            long empty = warm(server, port);
            try (var crowd = new Crowd(port)) {
                crowd.grow(IDLE, UPGRADE);
                isSmall(
                        server,
                        empty,
                        most,
                        transport + ": a WebSocket, opened with 5 KB of cookies");
                exchange(crowd);
                isSmall(server, empty, most, transport + ": a WebSocket after a message of 1 MB");
            }
        }
    }

    private static Child start(String transport) throws IOException {
        return Child.start(
                clojure.main.class,
                List.of("-Xmx256m"),
                List.of("-m", "sirocco.ring.idle-server", transport));
    }

    /** Has everything done once. Returns the bytes of the live heap without connections. */
    private static long warm(Child server, int port) throws IOException {
        try (var http = new Crowd(port);
                var webSockets = new Crowd(port)) {
            http.grow(200, Crowd.HELLO);
            http.ask(UPLOAD);
            http.ask(CHANNEL);
            webSockets.grow(200, UPGRADE);
            exchange(webSockets);
        }
        until(server, 0);
        return server.liveHeap();
    }

    private static void isSmall(Child server, long empty, int most, String what)
            throws IOException {
        until(server, IDLE);
        long each = (server.liveHeap() - empty) / IDLE;
        System.out.println(what + ": " + each + " bytes of live heap each");
        if (each > most) {
            server.histogram().lines().limit(25).forEach(System.out::println);
        }
        assertTrue(each <= most, what + ": " + each + " bytes");
    }

    private static void exchange(Crowd crowd) throws IOException {
        ByteBuffer answer = ByteBuffer.allocate(SIZE.length);
        for (SocketChannel channel : crowd.all()) {
            ByteBuffer message = ByteBuffer.wrap(MESSAGE);
            while (message.hasRemaining()) {
                channel.write(message);
            }
            answer.clear();
            while (answer.hasRemaining() && channel.read(answer) >= 0) {
                // on
            }
            assertArrayEquals(SIZE, answer.array());
        }
    }

    private static void until(Child server, int connections) throws IOException {
        long end = System.nanoTime() + 20_000_000_000L;
        while (!server.ask("stats").equals(Integer.toString(connections))) {
            assertTrue(System.nanoTime() < end, "never " + connections + " connections");
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(ISO_8859_1);
    }

    private static byte[] followedByMegabyte(byte[] start) {
        return Arrays.copyOf(start, start.length + MEGABYTE);
    }
}
