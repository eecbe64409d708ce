// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.heavy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What WebSockets cost that do nothing. */
@Tag("heavy")
@Timeout(300)
final class IdleWebSocketsTest {
    private static final int IDLE = 15_000;

    /** A masked one of "hello", and what comes back. */
    private static final byte[] HELLO = HexFormat.of().parseHex("818500000000" + "68656c6c6f");

    private static final byte[] ECHO = HexFormat.of().parseHex("8105" + "68656c6c6f");

    @ParameterizedTest
    @CsvSource({
        "IO_URING, /listener, 400",
        "NIO, /listener, 1200",
        "IO_URING, /conversation, 4500",
    })
    void keepNothingOfTheirLastMessage(String transport, String path, int most) throws IOException {
        byte[] request =
                ("GET "
                                + path
                                + " HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n"
                                + "Connection: Upgrade\r\nCookie: a="
                                + "c".repeat(5_000)
                                + "\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                                + "Sec-WebSocket-Version: 13\r\n\r\n")
                        .getBytes(ISO_8859_1);
        try (Child server =
                Child.start(HeavyServer.class, List.of("-Xmx256m"), List.of(transport, "1"))) {
            int port = server.number();
            try (var first = new Crowd(port)) {
                first.grow(500, request); // what is made once is made now
                echo(first);
            }
            until(server, 0);
            long before = server.liveHeap();
            try (var crowd = new Crowd(port)) {
                crowd.grow(IDLE, request);
                echo(crowd);
                until(server, IDLE);
                long each = (server.liveHeap() - before) / IDLE;
                System.out.println(
                        transport + " " + path + ": " + each + " bytes of live heap per WebSocket");
                if (each > most) {
                    server.histogram().lines().limit(25).forEach(System.out::println);
                }
                assertTrue(each <= most, each + " bytes");
            }
        }
    }

    private static void echo(Crowd crowd) throws IOException {
        ByteBuffer answer = ByteBuffer.allocate(ECHO.length);
        for (SocketChannel channel : crowd.all()) {
            channel.write(ByteBuffer.wrap(HELLO));
            answer.clear();
            while (answer.hasRemaining() && channel.read(answer) >= 0) {
                // on
            }
            assertEquals(Arrays.toString(ECHO), Arrays.toString(answer.array()));
        }
    }

    private static void until(Child server, int connections) throws IOException {
        long end = System.nanoTime() + 20_000_000_000L;
        while (!server.ask("stats").startsWith(connections + " ")) {
            assertTrue(System.nanoTime() < end, "never " + connections + " connections");
        }
    }
}
