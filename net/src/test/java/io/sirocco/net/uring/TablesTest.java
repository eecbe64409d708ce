// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.uring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.Echo;
import io.sirocco.net.Listener;
import io.sirocco.net.Peer;
import io.sirocco.net.Probe;
import io.sirocco.net.Rig;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** io_uring: more connections than one table of direct descriptors holds. */
@Timeout(30)
class TablesTest {
    private static final int TABLE = 64;
    private Rig rig;

    @BeforeEach
    void start() throws Exception {
        rig = new Rig(TransportKind.IO_URING);
        System.setProperty(Uring.TABLE_SIZE, Integer.toString(TABLE));
        rig.start(s -> s.loops(1));
    }

    @AfterEach
    void stop() throws Exception {
        System.clearProperty(Uring.TABLE_SIZE);
        rig.close();
    }

    private static void answers(Peer peer, int number) {
        assertEquals(number + "!", peer.send(number + "!").text((number + "!").length()));
    }

    @Test
    void fiveHundredAtOnceSpreadOverFurtherTables() throws Exception {
        Listener listener = rig.listen(c -> new Echo());
        int descriptors = Rig.openDescriptors();
        var peers = new ArrayList<Peer>();
        for (int i = 0; i < 500; i++) {
            peers.add(rig.connect(listener));
        }
        for (int i = 0; i < 500; i++) {
            answers(peers.get(i), i);
        }
        assertEquals(500, rig.stats().connections());
        assertEquals(500, rig.stats().accepted());
        int more = Rig.openDescriptors() - descriptors - 500; // less the peers' own
        assertTrue(more <= 2 * (500 / TABLE + 1), () -> more + " descriptors for 500 connections");
        Random random = new Random(4);
        for (int i = 0; i < 2_000; i++) {
            int n = random.nextInt(500);
            answers(peers.get(n), n);
        }
        for (Peer peer : peers) {
            peer.close();
        }
        Rig.until("all are gone", () -> rig.stats().connections() == 0);
    }

    /** They come while the loop is busy, so that it finds them all at once. */
    @Test
    void aBurstLargerThanATableLosesNoConnection() throws Exception {
        Listener listener = rig.listen(c -> new Echo());
        var peers = new ArrayList<Peer>();
        Rig.on(
                rig.loop(),
                () -> {
                    try {
                        for (int i = 0; i < 300; i++) {
                            peers.add(rig.connect(listener));
                        }
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                });
        for (int i = 0; i < 300; i++) {
            answers(peers.get(i), i);
        }
        assertEquals(300, rig.stats().accepted());
    }

    /**
     * The kernel handles twenty events of a ring in one call. A shutdown makes one that posts no
     * completion, so that nothing tells of the others behind it.
     */
    @Test
    void manyConnectionsOfFurtherTablesThatEndTheirOutputAtOnceEnd() throws Exception {
        Listener listener =
                rig.listen(
                        c ->
                                (connection, _, _, to) -> {
                                    connection.endOutput();
                                    return to;
                                });
        for (int round = 0; round < 2; round++) {
            var peers = new ArrayList<Peer>();
            for (int i = 0; i < 1_000; i++) {
                peers.add(rig.connect(listener));
            }
            Rig.until("all are here", () -> rig.stats().connections() == 1_000);
            Rig.on(rig.loop(), () -> peers.forEach(peer -> peer.send("x").end()));
            Rig.until("all are gone", () -> rig.stats().connections() == 0);
            for (Peer peer : peers) {
                peer.close();
            }
        }
    }

    @Test
    void whatManyConnectionsOfAFurtherTableReceiveAtOnceIsDelivered() throws Exception {
        var received = new AtomicInteger();
        Listener listener =
                rig.listen(
                        c ->
                                (_, _, from, to) -> {
                                    received.addAndGet(to - from);
                                    return to;
                                });
        var peers = new ArrayList<Peer>();
        for (int i = 0; i < 500; i++) {
            peers.add(rig.connect(listener));
        }
        for (int round = 1; round <= 5; round++) {
            int all = round * 500;
            Rig.on(rig.loop(), () -> peers.forEach(peer -> peer.send("x")));
            Rig.until("all received", () -> received.get() == all);
        }
    }

    /** The kernel refuses a table that is larger than the limit of open files. */
    @Test
    void aRingThatCannotBeMadeLeavesNothingBehind() {
        int descriptors = Rig.openDescriptors();
        for (int i = 0; i < 3; i++) {
            try (Arena arena = Arena.ofConfined()) {
                assertThrows(
                        IOException.class,
                        () -> new Ring(arena, () -> true, 1 << 22, 1 << 20, true));
            }
        }
        int later = Rig.openDescriptors(); // fewer, if other tests have ended meanwhile
        assertTrue(later <= descriptors, later + " descriptors, " + descriptors + " before");
    }

    @Test
    void slotsAreReused() throws Exception {
        Listener listener = rig.listen(c -> new Echo());
        var live = new ArrayList<Peer>();
        var random = new Random(5);
        int descriptors = 0;
        for (int i = 0; i < 1_500; i++) {
            if (live.size() == 200) {
                Peer gone = live.remove(random.nextInt(live.size()));
                if (random.nextBoolean()) {
                    gone.close();
                } else {
                    gone.reset();
                }
            }
            Peer peer = Peer.to(listener.address());
            live.add(peer);
            answers(peer, i);
            if (i == 500) {
                descriptors = Rig.openDescriptors();
            }
        }
        assertEquals(descriptors, Rig.openDescriptors());
        for (int i = 0; i < live.size(); i++) {
            answers(live.get(i), i);
        }
        for (Peer peer : List.copyOf(live)) {
            peer.close();
        }
        Rig.until("all are gone", () -> rig.stats().connections() == 0);
        assertEquals(1_500, rig.stats().accepted());
    }

    @Test
    void connectionsOfEveryTableKnowTheirPeerAndMayStream() throws Exception {
        byte[] large = Rig.pattern(300_000);
        Listener listener =
                rig.listen(
                        c -> {
                            Probe.write(c, c.remote() + "\n");
                            c.writeStable(large, 0, large.length);
                            c.finish();
                            return new Probe();
                        });
        var peers = new ArrayList<Peer>();
        for (int i = 0; i < 150; i++) {
            peers.add(rig.connect(listener));
        }
        for (Peer peer : peers) {
            String all = peer.allText();
            assertTrue(all.startsWith(peer.channel.getLocalAddress() + "\n"));
            assertEquals(300_000, all.length() - all.indexOf('\n') - 1);
        }
    }
}
