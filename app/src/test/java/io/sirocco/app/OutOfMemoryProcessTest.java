// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.testkit.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A process that is out of heap ends with its code; until then nothing says that all is well. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "its sockets take more than is sent here")
class OutOfMemoryProcessTest {
    private static final int PATIENCE_SECONDS = 60;
    private static final int TRUTH_SECONDS = 180;
    private static final int LOOKS = 100;

    @TempDir Path folder;

    @Tag("peers")
    @ParameterizedTest
    @ValueSource(strings = {"io_uring", "nio"})
    void withoutTheBoundItEndsWithItsCode(String transport) throws Exception {
        fill(transport, true);
    }

    /** Without the option of the launcher, collections may take nearly all of the time. */
    @ParameterizedTest
    @ValueSource(strings = {"io_uring", "nio"})
    @Tag("heavy")
    void withoutTheOptionItEndsWithItsCodeOrServesAndReadyNeverLies(String transport)
            throws Exception {
        fill(transport, false);
    }

    /** The bound is switched off: it is larger than the heap. */
    private void fill(String transport, boolean exitOnError) throws Exception {
        Files.writeString(Files.createDirectory(folder.resolve("site")).resolve("a.txt"), "hello");
        int admin = FreePort.tcp();
        Path file =
                Files.writeString(
                        folder.resolve("sirocco.toml"),
                        """
                        [[listen]]
                        address = "127.0.0.1:0"
                        [server]
                        drain-timeout = "1s"
                        [limits]
                        memory = "10GiB"
                        [admin]
                        address = "127.0.0.1:%d"
                        [[site]]
                        root = "site"
                        """
                                .formatted(admin));
        var options =
                new ArrayList<>(
                        List.of(
                                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                                "--enable-native-access=ALL-UNNAMED",
                                "-Xmx48m"));
        if (exitOnError) {
            options.add("-XX:+ExitOnOutOfMemoryError");
        }
        String[] command = {
            "serve", "--config", file.toString(), "--transport", transport, "--loops", "2"
        };
        try (var child = new Child(options, command);
                var attackers = new Attackers(child.port())) {
            int port = child.port();
            assertEquals(200, Client.get(port, "/a.txt").status());
            Thread attack =
                    Thread.ofPlatform()
                            .daemon()
                            .start(
                                    () ->
                                            attackers.unfinished(
                                                    8_000, Attackers.unfinishedHead(15_000)));
            try {
                for (int i = 0; child.isAlive() && (i < LOOKS || attack.isAlive()); i++) {
                    awaitTruth(child, port, admin);
                    LockSupport.parkNanos(20_000_000);
                }
            } finally {
                attack.join(); // its connections are closed behind it
            }
            for (int i = 0; i < 20; i++) { // each of its loops
                awaitTruth(child, port, admin);
            }
            // else it has lived through it, connection by connection
            if (exitOnError || !child.isAlive() || !isReady(admin)) {
                assertEquals(Serving.FAILED, child.exitCode());
            }
        }
    }

    /**
     * Waits until it does what it says. Where the heap is full, collections take most of the time,
     * and a request may take as long as a client waits for it, or fail.
     */
    private static void awaitTruth(Child child, int port, int admin) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(TRUTH_SECONDS);
        while (child.isAlive() && isReady(admin) && !serves(port)) {
            if (System.nanoTime() > end && child.isAlive() && isReady(admin)) {
                assertTrue(serves(port), "/ready says that it serves, and it does not");
            }
        }
    }

    private static boolean isReady(int admin) {
        try {
            return Client.get(admin, "/ready").status() == 200;
        } catch (IOException | AssertionError e) {
            return false;
        }
    }

    private static boolean serves(int port) {
        try {
            return Client.get(port, "/a.txt").status() == 200;
        } catch (IOException | AssertionError e) {
            return false;
        }
    }

    /** It wants to exit with 0, and one of its shutdown hooks never ends. */
    static final class Hanging {
        private Hanging() {}

        public static void main(String[] args) {
            var end = new LastResort(() -> false);
            Runtime.getRuntime()
                    .addShutdownHook(
                            new Thread(
                                    () -> {
                                        while (true) {
                                            LockSupport.park();
                                        }
                                    }));
            end.after(Duration.ofMillis(100), 3);
            System.exit(0);
        }
    }

    @Tag("peers")
    @Test
    void aShutdownThatHangsEndsWithTheLastResort() throws Exception {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                Hanging.class.getName())
                        .start();
        try {
            assertTrue(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS));
            assertEquals(3, process.exitValue());
        } finally {
            process.destroyForcibly();
        }
    }
}
