// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.heavy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The first requests of a JVM, several at once: what is linked for the first time then is guarded
 * by locks of the JDK, and a virtual thread that waits for one of them leaves its loop in the
 * middle of what it writes.
 */
@Tag("heavy")
@Timeout(180)
final class ColdStartTest {
    private static final int STARTS = 40;
    private static final int AT_ONCE = 16;
    private static final byte[] REQUEST =
            "GET /hello HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                    .getBytes(ISO_8859_1);

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void theFirstResponsesAreWhole(TransportKind transport) throws IOException {
        for (int i = 0; i < STARTS; i++) {
            try (Child server =
                    Child.start(HeavyServer.class, List.of(), List.of(transport.name(), "2"))) {
                firstResponsesOf(server.number());
            }
        }
    }

    private static void firstResponsesOf(int port) throws IOException {
        var sockets = new ArrayList<Socket>();
        try {
            for (int i = 0; i < AT_ONCE; i++) {
                var socket = new Socket(InetAddress.getLoopbackAddress(), port);
                socket.setSoTimeout(20_000);
                sockets.add(socket);
            }
            for (Socket socket : sockets) {
                socket.getOutputStream().write(REQUEST);
            }
            for (Socket socket : sockets) {
                String said = new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
                assertTrue(
                        said.matches(
                                        "HTTP/1\\.1 200 OK\r\n([A-Z][A-Za-z-]*: [^\r\n]+\r\n)+\r\nhello")
                                && said.contains("Content-Length: 5\r\n"),
                        said);
            }
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }
}
