// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.heavy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.TransportKind;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A thousand handlers that block, all at once, on one loop: nobody else waits for them. */
@Tag("heavy")
@Timeout(120)
final class BlockingHandlersTest {
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(60);
    private static final byte[] WAIT = "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(ISO_8859_1);

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void blockSideBySide(TransportKind transport) throws Exception {
        try (Child server =
                Child.start(
                        HeavyServer.class, List.of("-Xmx128m"), List.of(transport.name(), "1"))) {
            int port = server.number();
            try (var crowd = new Crowd(port);
                    var others = new Crowd(port)) {
                crowd.grow(1_000, Crowd.HELLO);
                for (SocketChannel channel : crowd.all()) {
                    channel.write(ByteBuffer.wrap(WAIT));
                }
                long end = System.nanoTime() + PATIENCE;
                for (String waiting = ""; !waiting.equals("1000"); ) {
                    waiting = server.ask("waiting");
                    assertTrue(System.nanoTime() < end, waiting + " of 1000 run side by side");
                }
                others.grow(100, Crowd.HELLO);
                for (int i = 0; i < 10; i++) {
                    assertEquals(100, others.ask(Crowd.HELLO));
                }
                assertEquals("1000", server.ask("waiting"), "they were answered meanwhile");
                assertEquals("open", server.ask("open"));
                for (SocketChannel channel : crowd.all()) {
                    crowd.read(channel);
                }
                assertEquals("0", server.ask("waiting"));
            }
        }
    }
}
