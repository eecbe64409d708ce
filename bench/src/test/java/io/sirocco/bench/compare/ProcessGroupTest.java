// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.testkit.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real processes and real signals. */
@Tag("peers")
class ProcessGroupTest {
    private static final String SPIN = "while :; do :; done";

    @TempDir private Path folder;

    @BeforeEach
    void needs() {
        Needs.programs("setsid");
        Needs.programs("bash");
    }

    @Test
    void timeOfAChildThatStillRunsCounts() throws Exception {
        try (var group = bash("(" + SPIN + ") & read -r < <(sleep 60)")) {
            Eventually.await(
                    "a child of the idle leader uses CPU", () -> group.cpuMicros() > 50_000);
        }
    }

    @Test
    void timeOfAChildThatHasEndedCounts() throws Exception {
        Path done = folder.resolve("done");
        String burn = "(for ((i = 0; i < 300000; i++)); do :; done)";
        try (var group = bash(burn + "; touch " + done + "; exec sleep 60")) {
            Eventually.await("the child has ended", () -> Files.exists(done));
            Eventually.await("only the sleeper is left", () -> group.members().size() == 1);
            assertTrue(group.cpuMicros() > 0);
        }
    }

    @Test
    void timeOfAGrandchildThatLostItsParentCounts() throws Exception {
        try (var group = bash("((" + SPIN + ") & exit 0); exec sleep 60")) {
            Eventually.await("the orphan uses CPU", () -> group.cpuMicros() > 50_000);
        }
    }

    @Test
    void whatIsStoppedUsesNoCpuUntilItGoesOn() throws Exception {
        try (var group = bash("(" + SPIN + ") & " + SPIN)) {
            Eventually.await("both spin", () -> group.members().size() == 2);
            group.signal("STOP");
            Eventually.await(
                    "all are stopped",
                    () -> group.members().stream().allMatch(process -> process.state() == 'T'));
            long stopped = group.cpuMicros();
            try (var other = bash(SPIN)) { // time passes for the machine, but not for them
                Eventually.await("another has used CPU", () -> other.cpuMicros() > 100_000);
            }
            assertEquals(stopped, group.cpuMicros());
            group.signal("CONT");
            Eventually.await("they spin again", () -> group.cpuMicros() > stopped + 50_000);
        }
    }

    @Test
    void childrenThatIgnoreSigtermAreGoneAfterClose() throws Exception {
        var group = bash("trap '' TERM; (" + SPIN + ") & " + SPIN);
        Eventually.await("both spin", () -> group.members().size() == 2);
        group.close();
        assertFalse(group.alive());
        assertTrue(group.members().isEmpty());
    }

    @Test
    void whatIsStoppedEndsOnSigterm() throws Exception {
        Path said = folder.resolve("said");
        var group =
                bash("trap 'echo bye >" + said + "; exit 0' TERM; echo >" + said + ".up; " + SPIN);
        Eventually.await("it has its trap", () -> Files.exists(folder.resolve("said.up")));
        group.signal("STOP");
        group.close();
        assertEquals("bye\n", Files.readString(said));
        assertEquals(0, group.status());
    }

    @Test
    void anOrphanIsGoneAfterCloseThoughItsLeaderEndedBefore() throws Exception {
        var group = bash("(" + SPIN + ") & exit 0");
        assertTrue(group.endsWithin(Duration.ofSeconds(30)));
        group.close();
        assertTrue(group.members().isEmpty());
    }

    private static ProcessGroup bash(String script) throws IOException {
        return ProcessGroup.start(new ProcessBuilder("bash", "-c", script));
    }

    /** Sends a signal to one process. */
    static void kill(String signal, long pid) throws Exception {
        String command = "kill -s " + signal + " " + pid;
        assertEquals(0, new ProcessBuilder("bash", "-c", command).start().waitFor());
    }
}
