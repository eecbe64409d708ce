// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.bench.live.LiveBench;
import io.sirocco.bench.live.LivePlan;
import io.sirocco.bench.live.LiveResult;
import io.sirocco.bench.live.LiveWork;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The servers of others in bench/peers: the official one of Socket.IO first of all. */
@Tag("peers")
@Timeout(600)
class LivePeersTest {
    @TempDir private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"socketio", "socketio-js", "ws", "netty-socketio"})
    void itAnswersRightlyAndOurClientsFindNoFault(String name) throws Exception {
        Needs.race();
        Path peer = Path.of("peers", name).toAbsolutePath();
        Path home = Path.of("target", "peers", name).toAbsolutePath();
        Path logs = Files.createDirectories(folder.resolve("logs"));
        var program = new PeerProgram(peer, home, logs);
        String absent =
                program.prepare() instanceof PeerProgram.Prepared.Absent it
                        ? it.peer().absent()
                        : "";
        assumeTrue(absent.isEmpty(), name + ": " + absent);
        try (var server = ServerProcess.start(program, 0, Ports.free(1).getFirst(), folder)) {
            for (Work work : Works.named(java.util.List.of("live"))) {
                assertEquals(Optional.empty(), Checks.of(work, server.address()));
            }
            for (LiveWork work : LiveWork.values()) {
                LiveResult result = LiveBench.run(plan(server, work), second -> {});
                assertEquals(Map.of(), result.figures().failures(), result.firsts()::toString);
                assertTrue(result.clean() && result.opening().held() >= 20);
            }
        }
    }

    private static LivePlan plan(ServerProcess server, LiveWork work) {
        return LivePlan.on(
                server.address(),
                Work.host(server.address()),
                "/socket.io/",
                work,
                plan ->
                        plan.password(Work.LIVE_PASSWORD)
                                .clients(20)
                                .duration(Duration.ofMillis(300))
                                .timeout(Duration.ofSeconds(30)));
    }
}
