// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.testkit.OnEachTransport;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** What is ready leaves in the middle of a long turn, and at the end of a short one. */
@OnEachTransport
class LongTurnTest {
    private static final long BUSY_NANOS = 2_000_000;

    @Parameter TransportKind transport;
    private Rig rig;

    /** A watchdog would end the turn behind the first handler on a busy machine. */
    @BeforeEach
    void start() throws Exception {
        rig = new Rig(transport);
        rig.start(s -> s.loops(1).withoutWatchdog());
    }

    @AfterEach
    void stop() throws Exception {
        rig.close();
    }

    private static boolean await(CountDownLatch latch) {
        try {
            return latch.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Keeps the loop in a task until all that was sent is there. */
    private CountDownLatch hold() {
        var held = new CountDownLatch(1);
        var release = new CountDownLatch(1);
        rig.loop()
                .execute(
                        () -> {
                            held.countDown();
                            await(release);
                        });
        assertTrue(await(held));
        return release;
    }

    private static void work() {
        long end = System.nanoTime() + BUSY_NANOS;
        while (System.nanoTime() < end) {
            Thread.onSpinWait();
        }
    }

    /**
     * Two connections have sent, and are served in one turn: the first to be served is answered,
     * the second blocks the loop until the first client has read its response.
     */
    @Test
    void aResponseDoesNotWaitForTheHandlersBehindItInTheSameTurn() throws Exception {
        var read = new CountDownLatch(1);
        var inTime = new CompletableFuture<Boolean>();
        var turns = new long[2];
        var served = new int[1];
        Listener listener =
                rig.listen(
                        _ ->
                                (connection, bytes, from, to) -> {
                                    if (bytes[from] == '?') {
                                        return to; // not yet
                                    }
                                    turns[served[0]] = connection.loop().stats().turns();
                                    if (served[0]++ == 0) {
                                        work();
                                    } else {
                                        inTime.complete(await(read));
                                    }
                                    connection.write(bytes, from, to);
                                    return to;
                                });
        Peer one = rig.connect(listener);
        Peer other = rig.connect(listener);
        one.send("?");
        other.send("?");
        Rig.until("both are known", () -> rig.stats().bytesIn() == 2);
        CountDownLatch release = hold();
        one.send("1");
        other.send("2");
        LockSupport.parkNanos(20_000_000); // until both have arrived
        var first = new CompletableFuture<Byte>();
        for (Peer peer : new Peer[] {one, other}) {
            Thread.ofVirtual()
                    .start(
                            () -> {
                                byte[] bytes = peer.readOnce();
                                first.complete(bytes[0]);
                                read.countDown();
                            });
        }
        release.countDown();
        assertTrue(Rig.get(inTime), "the first response has waited for the second handler");
        assertEquals(turns[0], turns[1], "they were not served in one turn: nothing is proven");
    }

    /** The same for threads that became runnable, and for tasks. */
    @Test
    void aResponseDoesNotWaitForTheTasksBehindItInTheSameTurn() throws Exception {
        var read = new CountDownLatch(1);
        var connected = new CompletableFuture<Connection>();
        Listener listener =
                rig.listen(
                        connection -> {
                            connected.complete(connection);
                            return (c, bytes, from, to) -> to;
                        });
        Peer peer = rig.connect(listener);
        Connection connection = Rig.get(connected);
        CountDownLatch release = hold();
        Loop loop = rig.loop();
        loop.execute(
                () -> {
                    work();
                    connection.write(new byte[] {'!'}, 0, 1);
                });
        var inTime = new CompletableFuture<Boolean>();
        loop.execute(() -> inTime.complete(await(read)));
        Thread.ofVirtual()
                .start(
                        () -> {
                            peer.readOnce();
                            read.countDown();
                        });
        release.countDown();
        assertTrue(Rig.get(inTime), "what the first task has written has waited for the second");
    }
}
