// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.http.WebSocket;
import io.sirocco.http.WebSocketListener;
import io.sirocco.http.websocket.Frame;
import io.sirocco.net.Connection;
import io.sirocco.net.Connector;
import io.sirocco.net.Destination;
import io.sirocco.net.Loops;
import io.sirocco.net.Protocol;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Frames of RFC 6455 5.2, as a client reads and writes them. */
@Timeout(60)
class FramesTest {
    private final FrameReader reader = new FrameReader();

    @ParameterizedTest
    @CsvSource({"0, 8100", "5, 8105", "125, 817d", "126, 817e007e", "70000, 817f0000000000011170"})
    void aFrameIsFoundAndNotBeforeItIsAllThere(int length, String head) {
        byte[] begin = HexFormat.of().parseHex(head);
        var bytes = new byte[3 + begin.length + length + 1];
        System.arraycopy(begin, 0, bytes, 3, begin.length);
        int end = bytes.length - 1;
        for (int to = 3; to < end; to += to < 20 ? 1 : Math.max(1, end - 1 - to)) {
            assertEquals(-1, reader.read(bytes, 3, to));
            assertFalse(reader.malformed());
        }
        assertEquals(end, reader.read(bytes, 3, bytes.length));
        assertEquals(Frame.TEXT, reader.opcode());
        assertEquals(3 + begin.length, reader.from());
        assertEquals(end, reader.to());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "8185", // masked, which a server's never is
                "0105", // not the last fragment
                "8005", // a further fragment
                "c105", // a reserved bit
                "817f8000000000000000", // a negative length
                "817f0000000000200000", // two megabytes
            })
    void whatIsNoWholeFrameOfAServerIsMalformed(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        assertEquals(-1, reader.read(bytes, 0, bytes.length));
        assertTrue(reader.malformed());
    }

    /** The server closes the connection unless each frame is masked, and its length right. */
    @Test
    void aServerReadsWhatIsWrittenWhateverItsLength() throws Exception {
        BlockingQueue<String> read = new LinkedBlockingQueue<>();
        var listener =
                new WebSocketListener() {
                    @Override
                    public void onText(WebSocket socket, String text) {
                        read.add(text);
                    }
                };
        int[] lengths = {0, 1, 7, 8, 9, 125, 126, 65_535, 65_536, 200_000};
        try (Server server =
                        Server.start(
                                c -> c.listen(new InetSocketAddress("127.0.0.1", 0)).loops(1),
                                routes ->
                                        routes.get("/", request -> Response.webSocket(listener)));
                Loops loops = Loops.start(s -> s.loops(1))) {
            var loop = loops.next();
            var to = Destination.of(server.addresses().getFirst());
            loop.execute(() -> loop.connect(to, new Writing(lengths)));
            for (int length : lengths) {
                String text = read.poll(10, TimeUnit.SECONDS);
                assertArrayEquals(
                        "0123456789".repeat(20_000).substring(0, length).getBytes(),
                        text.getBytes());
            }
            assertEquals("42-9007199254740993-0", read.poll(10, TimeUnit.SECONDS));
        }
    }

    /** Asks for an upgrade, and writes texts of these lengths, and one of numbers. */
    private record Writing(int[] lengths) implements Connector, Protocol {
        @Override
        public Protocol connected(Connection c) {
            String key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13";
            byte[] request =
                    ("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                    + key
                                    + "\r\n\r\n")
                            .getBytes();
            c.write(request, 0, request.length);
            return this;
        }

        @Override
        public void failed(IOException why) {}

        @Override
        public int received(Connection c, byte[] bytes, int from, int to) {
            byte[] digits = "0123456789".repeat(20_000).getBytes();
            var writer = new FrameWriter();
            for (int length : lengths) {
                writer.begin().put(digits, 0, length).sendText(c);
            }
            writer.begin().put("42-").put(9_007_199_254_740_993L).put('-').put(0L).sendText(c);
            return to;
        }
    }
}
