// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy.heavy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.heavy.Child;
import io.sirocco.http.heavy.Crowd;
import io.sirocco.http.heavy.HeavyServer;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What tunnels of WebSockets cost in which nothing moves. */
@Tag("heavy")
@Timeout(300)
final class ProxyTunnelsTest {
    /** A masked one of "hello", and what comes back. */
    private static final byte[] HELLO = HexFormat.of().parseHex("818500000000" + "68656c6c6f");

    private static final byte[] ECHO = HexFormat.of().parseHex("8105" + "68656c6c6f");
    private static final byte[] UPGRADE =
            ("GET /listener HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n"
                            + "Connection: Upgrade\r\nCookie: a="
                            + "c".repeat(5_000)
                            + "\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                            + "Sec-WebSocket-Version: 13\r\n\r\n")
                    .getBytes(ISO_8859_1);

    /**
     * With NIO, each needs two descriptors of the proxy, which has 20,000; 1,250 of its bytes are
     * the JDK's.
     */
    @ParameterizedTest
    @CsvSource({"IO_URING, 10000, 600", "EPOLL, 9000, 600", "NIO, 9000, 1600"})
    void keepNothingOfTheirLastMessage(String transport, int count, int most) throws IOException {
        try (Child server =
                        Child.start(
                                HeavyServer.class, List.of("-Xmx512m"), List.of("IO_URING", "1"));
                Child proxy =
                        Child.start(
                                HeavyProxy.class,
                                List.of("-Xmx256m"),
                                List.of(transport, "1", "http://127.0.0.1:" + server.number()))) {
            int port = proxy.number();
            try (var first = new Crowd(port)) {
                first.grow(500, UPGRADE); // what is made once is made now
                echo(first);
            }
            until(proxy, "0 0 ");
            long before = proxy.liveHeap();
            long resident = proxy.resident();
            try (var crowd = new Crowd(port)) {
                crowd.grow(count, UPGRADE);
                echo(crowd);
                until(proxy, 2 * count + " " + count + " ");
                long each = (proxy.liveHeap() - before) / count;
                System.out.printf(
                        "%s: %d tunnels, %d bytes of live heap each, %d of resident memory%n",
                        transport, count, each, (proxy.resident() - resident) / count);
                if (each > most) {
                    proxy.histogram().lines().limit(25).forEach(System.out::println);
                }
                assertTrue(each <= most, each + " bytes");
                echo(crowd);
            }
            until(proxy, "0 0 ");
        }
    }

    private static void echo(Crowd crowd) throws IOException {
        ByteBuffer answer = ByteBuffer.allocate(ECHO.length);
        for (SocketChannel channel : crowd.all()) {
            channel.write(ByteBuffer.wrap(HELLO));
            answer.clear();
            while (answer.hasRemaining()) {
                if (channel.read(answer) < 0) {
                    throw new EOFException("a tunnel has ended");
                }
            }
            assertArrayEquals(ECHO, answer.array());
        }
    }

    private static void until(Child proxy, String stats) throws IOException {
        long end = System.nanoTime() + 20_000_000_000L;
        for (String now; !(now = proxy.ask("stats")).startsWith(stats); ) {
            assertTrue(System.nanoTime() < end, "never " + stats + "but " + now);
        }
    }
}
