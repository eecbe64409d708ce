// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.heavy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two gigabytes each way through a heap of 64 MB, and a reader that stops. */
@Tag("heavy")
@Timeout(300)
final class BulkTest {
    private static final long SIZE = 2L << 30;

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void twoGigabytesPassASmallHeap(TransportKind transport) throws IOException {
        try (Child server =
                        Child.start(
                                HeavyServer.class,
                                List.of("-Xmx64m"),
                                List.of(transport.name(), "1"));
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.number())) {
            long began = System.nanoTime();
            socket.getOutputStream()
                    .write("GET /flood/2048 HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(ISO_8859_1));
            InputStream in = socket.getInputStream();
            assertTrue(head(in).contains("Content-Length: " + SIZE));
            byte[] piece = new byte[256 << 10];
            long total = 0;
            while (total < SIZE) {
                total += in.readNBytes(piece, 0, (int) Math.min(piece.length, SIZE - total));
            }
            tell(transport + " download", began, server);
            began = System.nanoTime();
            String head = "POST /count HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
            socket.getOutputStream().write(head.getBytes(ISO_8859_1));
            byte[] size = "40000\r\n".getBytes(ISO_8859_1);
            for (long left = SIZE; left > 0; left -= piece.length) {
                socket.getOutputStream().write(size);
                socket.getOutputStream().write(piece);
                socket.getOutputStream().write('\r');
                socket.getOutputStream().write('\n');
            }
            socket.getOutputStream().write("0\r\n\r\n".getBytes(ISO_8859_1));
            assertTrue(head(in).startsWith("HTTP/1.1 200 "));
            assertEquals(Long.toString(SIZE), new String(in.readNBytes(10), ISO_8859_1));
            tell(transport + " upload", began, server);
        }
    }

    private static void tell(String what, long began, Child server) throws IOException {
        System.out.printf(
                "%s of 2 GiB: %.1f s, %d MiB resident%n",
                what, (System.nanoTime() - began) / 1e9, server.resident() >> 20);
    }

    private static String head(InputStream in) throws IOException {
        var text = new StringBuilder();
        while (text.indexOf("\r\n\r\n") < 0) {
            text.append((char) in.read());
        }
        return text.toString();
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void aReaderThatStopsCostsNothing(TransportKind transport) throws IOException {
        try (Child server =
                Child.start(
                        HeavyServer.class,
                        List.of("-Xmx64m", "-Xms64m", "-XX:+AlwaysPreTouch"),
                        List.of(transport.name(), "1"))) {
            int port = server.number();
            var pinger = new Pinger(port);
            pinger.run(6_000, 0); // warm
            try (Socket stopped = new Socket(InetAddress.getLoopbackAddress(), port)) {
                stopped.getOutputStream()
                        .write("GET /flood/1024 HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(ISO_8859_1));
                stopped.getInputStream().readNBytes(1_000_000);
                long heap = server.liveHeap();
                long resident = server.resident();
                String stats = server.ask("stats");
                Pinger.Latencies latencies = pinger.run(30_000, 5);
                System.out.println(
                        transport
                                + ": while a reader stands still, "
                                + latencies
                                + ", heap +"
                                + (server.liveHeap() - heap)
                                + " B, resident +"
                                + (server.resident() - resident)
                                + " B, connections/requests/write memory "
                                + stats
                                + " -> "
                                + server.ask("stats"));
                assertTrue(server.liveHeap() - heap < 1 << 20);
                assertTrue(latencies.p99() < 10_000_000, latencies.toString());
                assertTrue(server.resident() - resident < 16 << 20);
            }
        }
    }
}
