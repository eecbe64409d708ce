// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.testkit.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Strangers send more than the heap can hold: the server lives, honest requests beside them are
 * answered, and the memory comes back.
 */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "it has no signals")
class MemoryAttackTest {
    private static final List<String> OPENS =
            List.of(
                    "--add-opens=java.base/java.lang=ALL-UNNAMED",
                    "--enable-native-access=ALL-UNNAMED");

    @TempDir Path folder;

    @Tag("heavy")
    @ParameterizedTest
    @CsvSource({"io_uring,48,6000", "nio,48,6000", "io_uring,256,17298", "nio,256,17298"})
    void unfinishedHeadersBeyondTheHeap(String transport, int heap, int connections)
            throws Exception {
        unfinishedHeaders(transport, heap, connections, "", 100);
    }

    @Tag("peers")
    @ParameterizedTest
    @CsvSource({"io_uring", "nio"})
    void unfinishedHeadersBeyondASmallBudget(String transport) throws Exception {
        unfinishedHeaders(transport, 96, 600, "[limits]\nmemory = \"2MiB\"\n", 10_000);
    }

    private void unfinishedHeaders(
            String transport, int heap, int connections, String limits, int p99) throws Exception {
        Files.writeString(Files.createDirectory(folder.resolve("site")).resolve("a.txt"), "hello");
        int admin = FreePort.tcp();
        Path file = config(admin, limits + "[[site]]\nroot = \"site\"\n");
        try (Child child = serve(transport, heap, file);
                var attackers = new Attackers(child.port())) {
            warmUp(child.port(), "/a.txt");
            try (var honest = new Honest(child.port(), "/a.txt")) {
                attackers.unfinished(connections, Attackers.unfinishedHead(15_000));
                int soFar = honest.answers();
                until(
                        "answers after the attack",
                        () -> honest.answers() > soFar + 1_000 || !child.isAlive());
                attackers.unfinished(connections / 10, Attackers.unfinishedHead(15_000));
                assertWell(child, honest, admin, p99);
            }
            attackers.end();
            assertTrue(metric(admin, "sirocco_memory_refused_total") > 0);
            assertMemoryReturns(admin);
            child.signal("TERM");
            assertEquals(0, child.exitCode());
        }
    }

    @Tag("heavy")
    @ParameterizedTest
    @CsvSource({"io_uring,48", "nio,48", "io_uring,256", "nio,256"})
    void twoHundredUploadsToEcho(String transport, int heap) throws Exception {
        uploads(transport, heap, 200, 50 << 20, 8, "", 100);
    }

    @Tag("peers")
    @ParameterizedTest
    @CsvSource({"io_uring", "nio"})
    void uploadsToEchoBeyondASmallBudget(String transport) throws Exception {
        uploads(transport, 96, 40, 4 << 20, 1, "[limits]\nmemory = \"2MiB\"\n", 10_000);
    }

    private void uploads(
            String transport, int heap, int count, long each, int seconds, String limits, int p99)
            throws Exception {
        int admin = FreePort.tcp();
        Path file = config(admin, limits);
        try (Child child = serve(transport, heap, file);
                var attackers = new Attackers(child.port())) {
            warmUp(child.port(), "/hello/a");
            try (var honest = new Honest(child.port(), "/hello/a")) {
                attackers.uploads(count, "/echo", each, seconds);
                assertWell(child, honest, admin, p99);
            }
            attackers.end();
            assertMemoryReturns(admin);
            child.signal("TERM");
            assertEquals(0, child.exitCode());
        }
    }

    private static void assertWell(Child child, Honest honest, int admin, int p99)
            throws Exception {
        if (!child.isAlive()) {
            throw new AssertionError("it has ended with " + child.exitCode() + ": " + child.err());
        }
        System.out.printf(
                "%d honest requests, p50 %.1f ms, p99 %.1f ms%n",
                honest.answers(), honest.millis(0.5), honest.millis(0.99));
        assertEquals(List.of(), honest.failures());
        assertTrue(honest.millis(0.99) < p99, "p99 " + honest.millis(0.99) + " ms");
        assertEquals(200, Client.get(admin, "/health").status());
        assertEquals(200, Client.get(admin, "/ready").status());
    }

    /** All of it, or all but what the connection that asks takes itself. */
    private static void assertMemoryReturns(int admin) {
        until("memory comes back", () -> metric(admin, "sirocco_memory_used_bytes") <= 0);
        assertTrue(metric(admin, "sirocco_memory_limit_bytes") > 0);
    }

    /** The sum over all loops. */
    private static double metric(int admin, String name) {
        try (var client = new Client(admin)) {
            client.send("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
            return client.last()
                    .body()
                    .lines()
                    .filter(line -> line.startsWith(name + "{"))
                    .mapToDouble(line -> Double.parseDouble(line.split(" ")[1]))
                    .sum();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void warmUp(int port, String path) throws IOException {
        for (int i = 0; i < 300; i++) {
            assertEquals(200, Client.get(port, path).status());
        }
    }

    private Path config(int admin, String more) throws IOException {
        String toml =
                """
                [[listen]]
                address = "127.0.0.1:0"
                [server]
                drain-timeout = "2s"
                [admin]
                address = "127.0.0.1:%d"
                """
                        .formatted(admin);
        return Files.writeString(folder.resolve("sirocco.toml"), toml + more);
    }

    private static Child serve(String transport, int heap, Path file) throws IOException {
        var options = new java.util.ArrayList<>(OPENS);
        options.add("-Xmx" + heap + "m");
        options.add("-XX:+UseCompactObjectHeaders");
        options.add("-XX:TieredStopAtLevel=4");
        return new Child(
                options,
                "serve",
                "--config",
                file.toString(),
                "--transport",
                transport,
                "--loops",
                "2");
    }

    private static void until(String what, java.util.function.BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < end, () -> "still not: " + what);
            LockSupport.parkNanos(10_000_000);
        }
    }
}
