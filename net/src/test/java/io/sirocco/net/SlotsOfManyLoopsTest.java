// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.uring.Uring;
import io.sirocco.testkit.OnEachTransport;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The kernel spreads connections over loops as it likes, and so do clients when they go: as long as
 * any loop has a slot, nobody waits for one.
 */
@OnEachTransport
class SlotsOfManyLoopsTest {
    private static final int LOOPS = 4;

    @Parameter TransportKind transport;
    @TempDir Path folder;
    private Rig rig;
    private Loops loops;
    private int slots = 16; // of each loop

    @BeforeEach
    void start() throws Exception {
        rig = new Rig(transport);
        loops = rig.start(s -> s.loops(LOOPS));
    }

    @AfterEach
    void stop() throws Exception {
        System.clearProperty(Uring.TABLE_SIZE);
        rig.close();
        assertTrue(rig.failures.isEmpty(), () -> "" + rig.failures);
    }

    /** Tells which loop a client is on, at each byte that it sends. */
    private Listener listen(SocketAddress address, WhenFull whenFull) throws IOException {
        return loops.listen(
                address,
                o -> o.slots(slots, whenFull).parking(100, 600_000),
                connection ->
                        (same, bytes, from, to) -> {
                            for (int i = from; i < to; i++) {
                                Probe.write(same, "" + same.loop().index());
                            }
                            return to;
                        });
    }

    private List<Peer> connect(Listener listener, int count) throws IOException {
        var peers = new ArrayList<Peer>();
        for (int i = 0; i < count; i++) {
            peers.add(rig.connect(listener).send("?"));
        }
        return peers;
    }

    private static int loopOf(Peer peer) {
        String index = peer.text(1);
        assertEquals(1, index.length(), "it is served");
        return Integer.parseInt(index);
    }

    private static void serveAll(List<Peer> peers) {
        peers.forEach(SlotsOfManyLoopsTest::loopOf);
    }

    private static void closeAll(List<Peer> peers) throws IOException {
        for (Peer peer : peers) {
            peer.close();
        }
    }

    private void noneAreLeft() {
        Rig.until(
                "all are gone",
                () -> loops.all().stream().allMatch(l -> l.stats().connections() == 0));
        for (Loop loop : loops.all()) {
            assertEquals(0, loop.stats().parked());
        }
    }

    private long accepted() {
        return loops.all().stream().mapToLong(l -> l.stats().accepted()).sum();
    }

    @ParameterizedTest
    @EnumSource(WhenFull.class)
    void aFullLoopLeavesNewConnectionsToThoseWithRoom(WhenFull whenFull) throws Exception {
        for (int round = 0; round < 4; round++) {
            try (Listener listener = listen(Rig.anyPort(), whenFull)) {
                List<Peer> peers = connect(listener, 56);
                serveAll(peers);
                List<Peer> others = connect(listener, LOOPS * slots - 56);
                serveAll(others);
                closeAll(peers);
                closeAll(others);
                noneAreLeft();
            }
        }
        assertEquals(4 * LOOPS * slots, accepted(), "each is counted once");
    }

    /** All slots that come free are those of one loop; those that wait may be at any. */
    @ParameterizedTest
    @EnumSource(WhenFull.class)
    void slotsThatComeFreeServeThoseThatWaitAtOtherLoops(WhenFull whenFull) throws Exception {
        Listener listener = listen(Rig.anyPort(), whenFull);
        for (int round = 0; round < LOOPS; round++) {
            List<Peer> peers = connect(listener, LOOPS * slots);
            var ofOneLoop = new ArrayList<Peer>();
            for (Peer peer : peers) {
                if (loopOf(peer) == round) {
                    ofOneLoop.add(peer);
                }
            }
            assertEquals(slots, ofOneLoop.size());
            List<Peer> waiting = connect(listener, slots);
            loops.all().forEach(Rig::settle);
            closeAll(ofOneLoop);
            for (Peer peer : waiting) {
                assertEquals(round, loopOf(peer));
            }
            closeAll(peers);
            closeAll(waiting);
            noneAreLeft();
        }
        assertEquals(LOOPS * (LOOPS + 1) * slots, accepted(), "each is counted once");
    }

    /** io_uring: those that wait are in further tables, and so are some that are served. */
    @ParameterizedTest
    @EnumSource(WhenFull.class)
    void alsoThoseThatWaitInAFurtherTable(WhenFull whenFull) throws Exception {
        System.setProperty(Uring.TABLE_SIZE, "64");
        slots = 64;
        loops = rig.start(s -> s.loops(LOOPS));
        int before = Rig.openDescriptors();
        slotsThatComeFreeServeThoseThatWaitAtOtherLoops(whenFull);
        // a ring and its eventfd for each further table, which stay
        int most = before + LOOPS * 2 * 8;
        Rig.until("descriptors are given back", () -> Rig.openDescriptors() <= most);
    }

    @ParameterizedTest
    @EnumSource(WhenFull.class)
    void nobodyWaitsForLongWhileOthersComeAndGo(WhenFull whenFull) throws Exception {
        churn(listen(Rig.anyPort(), whenFull), 12);
    }

    @ParameterizedTest
    @EnumSource(WhenFull.class)
    void neitherBehindAUnixDomainAddress(WhenFull whenFull) throws Exception {
        churn(listen(UnixDomainSocketAddress.of(folder.resolve("s")), whenFull), 12);
    }

    @ParameterizedTest
    @EnumSource(WhenFull.class)
    @Tag("heavy")
    void neitherInManyRounds(WhenFull whenFull) throws Exception {
        churn(listen(Rig.anyPort(), whenFull), 60);
        churn(listen(UnixDomainSocketAddress.of(folder.resolve("s")), whenFull), 60);
    }

    /** Up to twice as many as there are slots; each is served once enough others have gone. */
    private void churn(Listener listener, int rounds) throws Exception {
        var random = new Random(23);
        var served = new ArrayList<Peer>();
        var waiting = new ArrayList<Peer>();
        long before = accepted();
        int opened = 0;
        for (int round = 0; round < rounds; round++) {
            List<Peer> fresh = connect(listener, random.nextInt(LOOPS * slots));
            opened += fresh.size();
            waiting.addAll(fresh);
            Collections.shuffle(served, random);
            int leaving = Math.min(served.size(), random.nextInt(LOOPS * slots));
            while (leaving-- > 0) {
                served.removeLast().close();
            }
            // Which of those that wait are served is up to the kernel: some that gave up, too
            while (served.size() + waiting.size() > LOOPS * slots) {
                waiting.removeLast().close();
            }
            serveAll(waiting);
            served.addAll(waiting);
            waiting.clear();
        }
        closeAll(served);
        noneAreLeft();
        assertTrue(accepted() - before <= opened, "none is counted twice");
    }
}
