// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.testkit.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("peers")
class ServerProcessTest {
    @TempDir private Path folder;

    @BeforeEach
    void needs() {
        Needs.race();
    }

    @Test
    void runsOnTheCoreItIsGivenAndAnswers() throws Exception {
        try (var server = start(PeerFolder.SERVER)) {
            assertTrue(server.alive());
            Work work = Works.named(List.of("plaintext")).getFirst();
            assertEquals(Optional.empty(), Checks.of(work, server.address()));
            assertTrue(server.residentBytes() > 1 << 20);
            assertTrue(server.cpuMicros() > 0);
            long pid = Long.parseLong(Files.readString(folder.resolve("home/pid")));
            assertTrue(
                    Files.readAllLines(Path.of("/proc", "" + pid, "status"))
                            .contains("Cpus_allowed_list:\t0"));
        }
    }

    @Test
    void lastWordsOfAServerThatEndsAtOnceAreTheReason() throws Exception {
        var e =
                assertThrows(
                        IOException.class,
                        () -> start("echo starting; echo 'no such module: fast' >&2; exit 1"));
        assertEquals("its server ended: no such module: fast", e.getMessage());
    }

    @Test
    void isGoneWhenTheWaitingThreadIsInterrupted() throws Exception {
        Path pid = folder.resolve("pid");
        var waiting =
                Thread.ofPlatform()
                        .start(
                                () ->
                                        assertThrows(
                                                InterruptedException.class,
                                                () ->
                                                        start(
                                                                "echo $$ >"
                                                                        + pid
                                                                        + "; exec sleep 60")));
        Eventually.await("it has begun", () -> pid.toFile().length() > 0);
        waiting.interrupt();
        waiting.join();
        assertFalse(isAlive(Long.parseLong(Files.readString(pid).strip())));
    }

    private ServerProcess start(String run) throws Exception {
        Path peer = PeerFolder.of(folder, "one").on("run", run).write();
        Path home = Files.createDirectories(folder.resolve("home"));
        var program = new PeerProgram(peer, home, folder);
        return ServerProcess.start(program, 0, Ports.free(1).getFirst(), folder);
    }

    private static boolean isAlive(long pid) {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }
}
