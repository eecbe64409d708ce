// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.bench.report.Race;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole races, with small servers in Python and a generator that asks little. */
@Tag("peers")
class CompareTest {
    private static final long SEED = 7;

    @TempDir private Path folder;
    private Path peers;
    private final StringWriter said = new StringWriter();

    @BeforeEach
    void peersThatEveryRaceHas() throws IOException {
        Needs.race();
        peers = folder.resolve("bench/peers");
        PeerFolder.of(peers, "floor").write();
        PeerFolder.of(peers, "sirocco").write();
    }

    @AfterEach
    void noServerIsLeft() throws IOException {
        try (var pids = Files.walk(folder)) {
            for (Path pid : pids.filter(file -> file.endsWith("pid")).toList()) {
                assertFalse(
                        ProcessHandle.of(Long.parseLong(Files.readString(pid))).isPresent(),
                        pid + " still runs");
            }
        }
    }

    @Test
    void measuresEveryPeerInEveryRoundOfEveryWork() throws Exception {
        PeerFolder.of(peers, "nginx").on("works", "echo plaintext files").write();
        Race race = run(3, "plaintext", "churn", "files");
        assertEquals(
                List.of("floor", "sirocco", "nginx"),
                race.peers().stream().map(Race.Peer::name).toList());
        assertEquals(3, race.rounds());
        assertEquals(List.of(3, 3, 3), rounds(race, "plaintext"));
        assertEquals(List.of(3, 3, 3), rounds(race, "files"));
        assertEquals(List.of(3, 3, 0), rounds(race, "churn"));
        assertEquals("does not do churn", standing(race, "churn", "nginx").absent());
        Race.Round round = standing(race, "files", "nginx").rounds().getFirst();
        assertEquals((81 + 130_768 + 284_184) * 5.0, round.bytesPerSecond(), 1);
        assertTrue(race.machine().memoryBytes() > 1 << 20);
        String congestion = Files.readString(Path.of("/proc/sys/net/ipv4/tcp_congestion_control"));
        assertTrue(race.machine().kernel().endsWith(", TCP " + congestion.strip()));
        assertEquals("", race.commit());
    }

    @Test
    void warnsWhereTcpPaces() {
        var said = new StringWriter();
        Compare.warnOfPacing("cubic", new PrintWriter(said, true));
        assertEquals("", said.toString());
        Compare.warnOfPacing("bbr", new PrintWriter(said, true));
        assertTrue(said.toString().startsWith("warning: TCP paces by bbr here"), said::toString);
    }

    @Test
    void proxiesForwardToTheUpstreamWhichIsNoPeer() throws Exception {
        PeerFolder.of(peers, "upstream").write();
        PeerFolder.of(peers, "sirocco").on("works", "echo plaintext proxy-small").write();
        Race race = run(1, "plaintext", "proxy-small");
        assertEquals(
                List.of("floor", "sirocco"), race.peers().stream().map(Race.Peer::name).toList());
        assertEquals(List.of(0, 1), rounds(race, "proxy-small"));
        assertEquals(List.of(1, 1), rounds(race, "plaintext"));
        Race.Round round = standing(race, "proxy-small", "sirocco").rounds().getFirst();
        assertEquals(100 * 5, round.bytesPerSecond(), 1);
    }

    @Test
    void aRaceOfProxiesNeedsTheUpstream() throws Exception {
        PeerFolder.of(peers, "upstream").on("absent", "echo needs nginx-light").write();
        var e = assertThrows(IOException.class, () -> run(1, "proxy-small"));
        assertEquals("the upstream of the proxies is absent: needs nginx-light", e.getMessage());
    }

    @Test
    void theOrderWithinARoundIsTheSeeds() throws Exception {
        PeerFolder.of(peers, "nginx").write();
        run(3, "plaintext");
        var expected = new ArrayList<String>();
        var random = new Random(SEED);
        for (int round = 1; round <= 3; round++) {
            var order = new ArrayList<>(List.of("floor", "sirocco", "nginx"));
            Collections.shuffle(order, random);
            for (String peer : order) {
                expected.add("round " + round + "/3 " + peer);
            }
        }
        assertEquals(expected, said("round"));
    }

    @Test
    void aWrongAnswerCostsThatWorkAlone() throws Exception {
        String lies = PeerFolder.SERVER + " --wrong /echo";
        PeerFolder.of(peers, "liar").on("run", lies).write();
        Race race = run(1, "echo19", "plaintext");
        String absent = standing(race, "echo19", "liar").absent();
        assertTrue(absent.startsWith("wrong answer: GET /echo: a body of 14 bytes"), absent);
        assertEquals(List.of(1, 1, 0), rounds(race, "echo19"));
        assertEquals(List.of(1, 1, 1), rounds(race, "plaintext"));
    }

    @Test
    void whoCannotBeHadOrBuiltOrStartedIsAbsentAndNotSlow() throws Exception {
        PeerFolder.of(peers, "a").on("absent", "echo no go here").write();
        PeerFolder.of(peers, "b").on("build", "echo no such crate; exit 1").write();
        PeerFolder.of(peers, "c").on("run", "echo no such library; exit 1").write();
        Race race = run(1, "plaintext");
        assertEquals(
                List.of(
                        "",
                        "",
                        "no go here",
                        "its build failed: no such crate",
                        "its server ended: no such library"),
                race.peers().stream().map(Race.Peer::absent).toList());
        assertEquals(List.of(1, 1, 0, 0, 0), rounds(race, "plaintext"));
        assertEquals("no go here", standing(race, "plaintext", "a").absent());
    }

    @Test
    void whoDoesNoneOfTheWorksIsLeftOut() throws Exception {
        PeerFolder.of(peers, "chat").on("works", "echo live-echo live-fanout").write();
        Race race = run(1, "plaintext");
        assertEquals(
                List.of("floor", "sirocco"), race.peers().stream().map(Race.Peer::name).toList());
        assertTrue(said.toString().contains("left out, since they do none of this: chat"));
    }

    @Test
    void aServerThatDiesHasNoRoundsFromThenOn() throws Exception {
        String dies = PeerFolder.SERVER + " --dies-at /echo";
        PeerFolder.of(peers, "frail").on("run", dies).write();
        Race race = run(1, "plaintext", "echo19", "virtual");
        assertEquals(List.of(1, 1, 1), rounds(race, "plaintext"));
        assertEquals(List.of(1, 1, 0), rounds(race, "echo19"));
        assertEquals(List.of(1, 1, 0), rounds(race, "virtual"));
        assertEquals(
                "its server ended: it is all too much",
                standing(race, "virtual", "frail").absent());
    }

    @Test
    void aGeneratorThatFailsInTheMiddleMakesItsPeerAbsent() throws Exception {
        var calls = new ArrayList<Integer>();
        Generator failing =
                (work, server, time) -> {
                    calls.add(server.getPort());
                    if (calls.size() == 5) { // two warm-ups, then the first of the second round
                        throw new IOException("not one connection could be opened");
                    }
                    return new FewRequests(1).run(work, server, time);
                };
        Race race = run(failing, 3, "plaintext");
        assertEquals(1, rounds(race, "plaintext").stream().filter(n -> n == 0).count());
        assertEquals(1, rounds(race, "plaintext").stream().filter(n -> n == 3).count());
    }

    @Test
    void whatEndsEarlyKeepsTheRoundsThatWereWhole() throws Exception {
        var calls = new ArrayList<Integer>();
        try (var ending = new Ending()) {
            Generator asking =
                    (work, server, time) -> {
                        calls.add(server.getPort());
                        if (calls.size() == 6) { // two warm-ups, a round of two, half a round
                            ending.ask();
                        }
                        return new FewRequests(1).run(work, server, time);
                    };
            Race race = run(asking, ending, 3, "plaintext", "churn");
            assertEquals(List.of(1, 1), rounds(race, "plaintext"));
            assertEquals(1, race.works().size());
        }
    }

    @Test
    void anErrorInTheMiddleLeavesNoServerBehind() {
        Generator broken =
                (work, server, time) -> {
                    throw new IllegalStateException("a defect");
                };
        assertThrows(IllegalStateException.class, () -> run(broken, 1, "plaintext"));
    }

    @Test
    void withoutAFloorTheOthersAreMeasuredAllTheSame() throws Exception {
        Files.delete(peers.resolve("floor/peer"));
        Race race = run(1, "plaintext");
        assertEquals(List.of(0, 1), rounds(race, "plaintext"));
        assertTrue(race.peers().getFirst().absent().startsWith("there is no program"));
    }

    @Test
    void thisProcessHasItsCoresBackAfterwards() throws Exception {
        int before = Runtime.getRuntime().availableProcessors();
        run(1, "plaintext");
        assertEquals(before, Runtime.getRuntime().availableProcessors());
    }

    private Race run(int rounds, String... works) throws IOException {
        return run(new FewRequests(5), rounds, works);
    }

    private Race run(Generator generator, int rounds, String... works) throws IOException {
        try (var ending = new Ending()) {
            return run(generator, ending, rounds, works);
        }
    }

    private Race run(Generator generator, Ending ending, int rounds, String... works)
            throws IOException {
        Path out = folder.resolve("out");
        var plan =
                new Plan(List.of(works), List.of("all"), rounds, 0.1, 0.1, SEED, peers, out, 0, 1);
        return new Compare(plan, generator).run(ending, new PrintWriter(said));
    }

    /** Lines of progress that begin with a word, without their figures. */
    private List<String> said(String first) {
        return said.toString()
                .lines()
                .filter(line -> line.startsWith("  " + first))
                .map(line -> line.strip().replaceAll(" +", " "))
                .map(line -> line.replaceAll("^(\\S+ \\S+ \\S+).*", "$1"))
                .toList();
    }

    private static List<Integer> rounds(Race race, String work) {
        return work(race, work).standings().stream().map(s -> s.rounds().size()).toList();
    }

    private static Race.Standing standing(Race race, String work, String peer) {
        return work(race, work).standings().stream()
                .filter(s -> s.peer().equals(peer))
                .findFirst()
                .orElseThrow();
    }

    private static Race.Work work(Race race, String name) {
        return race.works().stream().filter(w -> w.name().equals(name)).findFirst().orElseThrow();
    }
}
