// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.json.JsonMapper;

/** A race that is told to end by the terminal. */
@Tag("peers")
class SignalTest {
    @TempDir private Path folder;

    @BeforeEach
    void needs() {
        Needs.race();
    }

    @ParameterizedTest
    @CsvSource({"INT, 130", "TERM, 143"})
    void writesWhatThereIsAndLeavesNoServerBehind(String signal, int exitCode) throws Exception {
        Path peers = folder.resolve("bench/peers");
        PeerFolder.of(peers, "floor").write();
        PeerFolder.of(peers, "sirocco").write();
        Path out = folder.resolve("out");
        Process race =
                new ProcessBuilder(
                                "env", // tests that run in the background ignore SIGINT
                                "--default-signal=INT",
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx128m",
                                "-XX:+UseSerialGC",
                                "-cp",
                                System.getProperty("java.class.path"),
                                RaceProgram.class.getName(),
                                peers.toString(),
                                out.toString(),
                                "1000")
                        .start();
        try {
            awaitLine(race.errorReader(), "  round 3/1000");
            ProcessGroupTest.kill(signal, race.pid());
            assertTrue(race.waitFor(30, TimeUnit.SECONDS), "it does not end");
            assertEquals(exitCode, race.exitValue());
        } finally {
            race.destroyForcibly().onExit().join();
        }
        var json = JsonMapper.shared().readTree(Files.readString(out.resolve("race.json")));
        var standings = json.get("works").get(0).get("standings");
        int rounds = standings.get(0).get("rounds").size();
        assertTrue(rounds >= 2 && rounds < 1_000, rounds + " rounds");
        assertEquals(rounds, standings.get(1).get("rounds").size());
        for (String peer : List.of("floor", "sirocco")) {
            Path pid = folder.resolve("bench/target/peers").resolve(peer).resolve("pid");
            assertFalse(ProcessHandle.of(Long.parseLong(Files.readString(pid))).isPresent());
        }
    }

    /** What comes after is read, too, so that the race never waits for us. */
    private static void awaitLine(BufferedReader lines, String start) throws Exception {
        var all = new StringBuilder();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.startsWith(start)) {
                Thread.ofVirtual().start(() -> lines.lines().forEach(more -> {}));
                return;
            }
            all.append(line).append('\n');
        }
        throw new AssertionError(all);
    }
}
