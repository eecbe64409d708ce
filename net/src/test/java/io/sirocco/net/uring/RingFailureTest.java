// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.uring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.Connection;
import io.sirocco.net.Echo;
import io.sirocco.net.Listener;
import io.sirocco.net.Loop;
import io.sirocco.net.Peer;
import io.sirocco.net.Probe;
import io.sirocco.net.Rig;
import io.sirocco.net.TransportKind;
import io.sirocco.net.linux.Linux;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** io_uring: a ring that cannot be entered, and one that is touched by another thread. */
@Timeout(30)
class RingFailureTest {
    private Rig rig;

    @BeforeEach
    void start() {
        rig = new Rig(TransportKind.IO_URING);
    }

    @AfterEach
    void stop() throws Exception {
        rig.close();
    }

    private Ring ring() {
        return ((Uring) rig.transport()).mainRing();
    }

    private boolean ended() {
        try {
            rig.loop().execute(() -> {});
            return false;
        } catch (RejectedExecutionException e) {
            return true;
        }
    }

    @Test
    void oneThatCannotBeEnteredEndsTheLoopWithTheCause() throws Exception {
        Listener listener = rig.listen(_ -> new Echo());
        Peer peer = rig.connect(listener);
        assertEquals("x", peer.send("x").text(1));
        Ring ring = ring();
        rig.loop()
                .execute(
                        () -> {
                            ring.patienceNanos = 100_000_000;
                            ring.failing = Linux.EAGAIN;
                        });
        Rig.until("the loop has ended", this::ended);
        String why = ring.failure();
        assertTrue(why.startsWith("io_uring_enter fails: Resource temporarily unavail"), why);
        assertTrue(peer.over(), "the ring and its sockets are closed");
    }

    /** Its queue is full, too: the operation that finds it so must not wait for ever. */
    @Test
    void oneThatTakesNoMoreOperationsEndsTheLoop() throws Exception {
        Ring ring = ring();
        rig.loop()
                .execute(
                        () -> {
                            ring.patienceNanos = 100_000_000;
                            ring.failing = Linux.EBUSY;
                            for (int i = 0; i < 10_000; i++) {
                                ring.entry(0, 0, -1, 0, 0, 0, 0);
                            }
                        });
        Rig.until("the loop has ended", this::ended);
        String why = ring.failure();
        assertTrue(why.contains("4096 operations"), why);
    }

    @Test
    void aMomentWithoutMemoryIsSurvived() throws Exception {
        Listener listener = rig.listen(_ -> new Echo());
        Peer peer = rig.connect(listener);
        assertEquals("x", peer.send("x").text(1));
        Loop loop = rig.loop();
        Rig.on(loop, () -> ring().failing = Linux.EAGAIN);
        Rig.settle(loop);
        Rig.on(loop, () -> ring().failing = 0);
        assertEquals("y", peer.send("y").text(1));
        assertNull(ring().failure());
    }

    @Test
    void anotherThreadIsCaught() {
        Ring ring = ring();
        assertThrows(AssertionError.class, () -> ring.entry(0, 0, -1, 0, 0, 0, 0));
        assertThrows(AssertionError.class, () -> ring.submit(0));
    }

    @Test
    void aConnectionWrittenToByAnotherThreadIsCaught() throws Exception {
        var probe = new Probe();
        rig.connect(rig.listen(probe));
        Connection connection = probe.connection();
        assertThrows(AssertionError.class, () -> connection.write(new byte[1], 0, 1));
    }
}
