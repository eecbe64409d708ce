// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StartTest {
    private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");

    /** The JDK's own file server: another program, with another JVM. */
    private static List<String> server(Path site) {
        return List.of(
                JAVA.toString(),
                "-m",
                "jdk.httpserver",
                "-b",
                "127.0.0.1",
                "-p",
                Start.PORT,
                "-d",
                site.toString());
    }

    @Test
    void aServerIsMeteredFromItsCommandToItsFirstAnswer(@TempDir Path site) throws Exception {
        Files.writeString(site.resolve("a.txt"), "a");
        Start start = Start.of(server(site), "/a.txt", Duration.ZERO);
        assertTrue(start.nanos() > 1_000_000, start.toString()); // no JVM starts in less
        assumeTrue(Files.exists(Path.of("/proc/self/status")), "this system has no /proc");
        long resident = start.resident().orElseThrow();
        assertTrue(resident > 5_000_000 && resident < 2_000_000_000, start.toString());
    }

    @Test
    void anotherAnswerThan200IsNoStart(@TempDir Path site) {
        var failure =
                assertThrows(
                        IOException.class,
                        () -> Start.of(server(site), "/none.txt", Duration.ZERO));
        assertEquals("/none.txt was answered with 'HTTP/1.1 404'", failure.getMessage());
    }

    @Test
    void aServerThatEndsIsNotWaitedFor() {
        var failure =
                assertThrows(
                        IOException.class,
                        () -> Start.of(List.of(JAVA.toString(), "--version"), "/", Duration.ZERO));
        assertEquals("the server ended with 0", failure.getMessage());
    }
}
