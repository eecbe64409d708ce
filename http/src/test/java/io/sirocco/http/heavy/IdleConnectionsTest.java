// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.heavy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What connections cost that do nothing. */
@Tag("heavy")
@Timeout(300)
final class IdleConnectionsTest {
    private static final int IDLE = 15_000;

    @ParameterizedTest
    @CsvSource({"IO_URING, 160", "NIO, 1024"})
    void keepNothingOfTheirLastRequest(TransportKind transport, int most) throws IOException {
        byte[] request = heavyRequest();
        try (Child server =
                Child.start(
                        HeavyServer.class, List.of("-Xmx256m"), List.of(transport.name(), "1"))) {
            int port = server.number();
            try (var first = new Crowd(port)) {
                first.grow(500, request); // what is made once is made now
            }
            until(server, 0);
            long before = server.liveHeap();
            String classesBefore = server.histogram();
            try (var crowd = new Crowd(port)) {
                crowd.grow(IDLE, request);
                until(server, IDLE);
                long each = (server.liveHeap() - before) / IDLE;
                System.out.println(
                        transport + ": " + each + " bytes of live heap per idle connection");
                if (each > most) {
                    System.out.println(classesBefore.lines().limit(20).toList());
                    server.histogram().lines().limit(25).forEach(System.out::println);
                }
                assertTrue(each <= most, each + " bytes");
                assertEquals(IDLE, crowd.ask(Crowd.HELLO));
            }
        }
    }

    /** With a cookie of 5 KB and a body of 100 KB. */
    private static byte[] heavyRequest() {
        byte[] head =
                ("POST /count HTTP/1.1\r\nHost: a\r\nCookie: a="
                                + "c".repeat(5_000)
                                + "\r\nContent-Length: 100000\r\n\r\n")
                        .getBytes(ISO_8859_1);
        return Arrays.copyOf(head, head.length + 100_000);
    }

    private static void until(Child server, int connections) throws IOException {
        long end = System.nanoTime() + 20_000_000_000L;
        while (!server.ask("stats").startsWith(connections + " ")) {
            assertTrue(System.nanoTime() < end, "never " + connections + " connections");
        }
    }

    @Test
    void areNotBoundedByTheLimitOfOpenFiles() throws IOException {
        int each = 13_400;
        try (Child server =
                Child.start(HeavyServer.class, List.of("-Xmx256m"), List.of("IO_URING", "1"))) {
            int port = server.number();
            List<Child> crowds = new ArrayList<>();
            try {
                for (int i = 0; i < 3; i++) {
                    crowds.add(
                            Child.start(
                                    Crowd.class,
                                    List.of("-Xmx128m"),
                                    List.of(Integer.toString(port), Integer.toString(each))));
                }
                for (Child crowd : crowds) {
                    assertEquals(each, crowd.number());
                }
                until(server, 3 * each);
                for (Child crowd : crowds) {
                    assertEquals(Integer.toString(each), crowd.ask("again"));
                }
                System.out.println(
                        3 * each + " connections with " + server.descriptors() + " descriptors");
                assertTrue(server.descriptors() < 200);
            } finally {
                for (Child crowd : crowds) {
                    crowd.close();
                }
            }
            until(server, 0);
        }
    }
}
