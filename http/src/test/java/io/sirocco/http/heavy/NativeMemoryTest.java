// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.heavy;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Twenty rounds of start, load and stop in one JVM, which keeps account of its native memory. */
@Tag("heavy")
@Timeout(180)
final class NativeMemoryTest {
    @ParameterizedTest
    @EnumSource(value = TransportKind.class, mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void isGivenBackByEachStop(TransportKind transport) throws IOException {
        try (Child server =
                Child.start(
                        HeavyServer.class,
                        List.of(
                                "-Xmx64m",
                                "-Xms64m",
                                "-XX:+AlwaysPreTouch",
                                "-XX:NativeMemoryTracking=summary"),
                        List.of(transport.name(), "2"))) {
            int port = server.number();
            for (int i = 0; i < 10; i++) {
                port = round(server, port);
            }
            long before = other(server);
            long resident = server.resident();
            long descriptors = server.descriptors();
            for (int i = 0; i < 20; i++) {
                port = round(server, port);
            }
            System.out.printf(
                    "%s: after 20 rounds native memory %+d KiB, resident %+d KiB, descriptors %+d%n",
                    transport,
                    other(server) - before,
                    (server.resident() - resident) >> 10,
                    server.descriptors() - descriptors);
            assertTrue(other(server) - before < 512);
            assertTrue(server.descriptors() <= descriptors);
        }
    }

    private static int round(Child server, int port) throws IOException {
        try (var crowd = new Crowd(port)) {
            crowd.grow(200, Crowd.HELLO);
            crowd.ask(Crowd.HELLO);
            return Integer.parseInt(server.ask("restart"));
        }
    }

    /** KiB that foreign memory and the like have committed; what the compiler uses is not ours. */
    private static long other(Child server) throws IOException {
        server.jcmd("GC.run");
        String report = server.jcmd("VM.native_memory", "summary");
        String line =
                report.lines()
                        .filter(l -> l.contains(" Other (reserved="))
                        .findFirst()
                        .orElseThrow();
        return Long.parseLong(line.replaceAll(".*committed=(\\d+)KB.*", "$1"));
    }
}
