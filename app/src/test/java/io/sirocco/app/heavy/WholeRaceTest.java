// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.heavy;

import static java.nio.file.attribute.PosixFilePermissions.fromString;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.bench.compare.Compare;
import io.sirocco.bench.compare.Ending;
import io.sirocco.bench.compare.Plan;
import io.sirocco.bench.report.Race;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each workload of {@code bench compare} once, against Sirocco alone: what the race promises can be
 * measured, and no request fails. The server is the peer of the race, on the classes of this test.
 */
@Tag("heavy")
@Timeout(900)
final class WholeRaceTest {
    private static final Path PEERS = Path.of("..", "bench", "peers").toAbsolutePath().normalize();
    private static final List<String> EVERYTHING =
            List.of("all", "proxy", "live", "qurricane", "pokerface", "fire-io-rest");

    @TempDir Path folder;

    @Test
    void everyWorkloadRunsAndNoRequestFails() throws Exception {
        for (String program : List.of("setsid", "taskset", "nginx", "ab")) {
            assumeTrue(isInstalled(program), program + " is not installed");
        }
        Path peers = Files.createDirectories(folder.resolve("bench/peers"));
        Files.createSymbolicLink(peers.resolve("upstream"), PEERS.resolve("upstream"));
        peer(peers, "floor", "absent) echo 'not in this race' ;;");
        peer(
                peers,
                "sirocco",
                """
                absent | notes) ;;
                language) echo Java ;;
                works) exec %1$s/sirocco/peer works ;;
                version) echo of this test ;;
                build) mkdir -p "$2" ;;
                run) exec %2$s -Xmx512m --enable-native-access=ALL-UNNAMED \
                    --add-opens=java.base/java.lang=ALL-UNNAMED -Djdk.virtualThreadScheduler.parallelism=1 \
                    -cp '%3$s' %1$s/sirocco/SiroccoPeer.java "$3" "$4" io_uring 1 ;;
                """
                        .formatted(
                                PEERS,
                                Path.of(System.getProperty("java.home"), "bin", "java"),
                                System.getProperty("java.class.path")));
        var plan = new Plan(EVERYTHING, List.of(), 1, 2, 4, 1, peers, folder.resolve("out"), 0, 1);
        var said = new StringWriter();
        Race race;
        try (var ending = new Ending()) {
            race = new Compare(plan).run(ending, new PrintWriter(said, true));
        }
        var faults = new TreeMap<String, String>();
        for (Race.Work work : race.works()) {
            for (Race.Standing standing : work.standings()) {
                if (standing.peer().equals(Race.OURS)) {
                    faultOf(standing).ifPresent(fault -> faults.put(work.name(), fault));
                }
            }
        }
        assertEquals("{}", faults.toString(), said::toString);
        assertEquals(22, race.works().size(), "all workloads that there are");
    }

    private static Optional<String> faultOf(Race.Standing standing) {
        if (!standing.absent().isEmpty() || standing.rounds().isEmpty()) {
            return Optional.of("not measured: " + standing.absent());
        }
        long failures = standing.rounds().stream().mapToLong(Race.Round::failures).sum();
        return failures == 0 ? Optional.empty() : Optional.of(failures + " requests failed");
    }

    private static void peer(Path peers, String name, String calls) throws IOException {
        Path script = Files.createDirectories(peers.resolve(name)).resolve("peer");
        Files.writeString(script, "#!/usr/bin/env bash\ncase $1 in\n" + calls + "\nesac\n");
        Files.setPosixFilePermissions(script, fromString("rwxr-xr-x"));
    }

    private static boolean isInstalled(String program) {
        return Stream.of(System.getenv("PATH").split(":"))
                .anyMatch(each -> Files.isExecutable(Path.of(each, program)));
    }
}
