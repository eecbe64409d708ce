// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.uring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.net.CloseCause;
import io.sirocco.net.Connection;
import io.sirocco.net.Connector;
import io.sirocco.net.Destination;
import io.sirocco.net.Echo;
import io.sirocco.net.Listener;
import io.sirocco.net.Loop;
import io.sirocco.net.Protocol;
import io.sirocco.net.Rig;
import io.sirocco.net.TransportKind;
import io.sirocco.net.linux.Linux;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * io_uring: what comes while a loop is busy is in its main table all at once, and needs two turns
 * more to leave it for another one.
 */
@Tag("heavy")
@Timeout(60)
class CrowdedTableTest {
    /** The smallest table whose accepts are multishot. */
    private static final int TABLE = 16_384;

    private Rig rig;
    private Loop clients;
    private int backlog; // so many the kernel lets wait

    @BeforeEach
    void start() throws Exception {
        assumeTrue(Linux.openFilesLimit() >= TABLE, "a table is not larger than that limit");
        String most = Files.readAllLines(Path.of("/proc/sys/net/core/somaxconn")).getFirst();
        backlog = Math.min(4_096, Integer.parseInt(most));
        rig = new Rig(TransportKind.IO_URING);
        System.setProperty(Uring.TABLE_SIZE, Integer.toString(TABLE));
        clients = rig.start(s -> s.loops(1)).all().getFirst();
        rig.start(s -> s.loops(1));
    }

    @AfterEach
    void stop() throws Exception {
        System.clearProperty(Uring.TABLE_SIZE);
        if (rig != null) {
            rig.close();
        }
    }

    /** Counts what becomes of connections that it opens, in rows of so many at a time. */
    private final class Crowd implements Connector, Protocol {
        private static final int AT_A_TIME = 256;

        final AtomicInteger connected = new AtomicInteger();
        final AtomicInteger lost = new AtomicInteger();
        private final Destination to;
        private int left;

        /** Each from an address of its own, because a pair of them has but so many ports. */
        Crowd(Listener listener, int number, int count) {
            this.to =
                    Destination.of(listener.address())
                            .withSource(InetAddress.ofLiteral("127.0.0." + (number + 2)));
            this.left = count - AT_A_TIME;
            Rig.on(
                    clients,
                    () -> {
                        for (int i = 0; i < AT_A_TIME; i++) {
                            clients.connect(to, this);
                        }
                    });
        }

        private void next() {
            if (left-- > 0) {
                clients.connect(to, this);
            }
        }

        @Override
        public Protocol connected(Connection connection) {
            connected.incrementAndGet();
            next();
            return this;
        }

        @Override
        public void failed(IOException why) {
            lost.incrementAndGet();
            next();
        }

        @Override
        public int received(Connection connection, byte[] bytes, int from, int to) {
            return to;
        }

        @Override
        public void closed(Connection connection, CloseCause cause) {
            if (cause != CloseCause.STOPPED) {
                lost.incrementAndGet();
            }
        }
    }

    @Test
    void burstsIntoAFullMainTableLoseNoConnection() throws Exception {
        Listener listener = rig.listen(c -> new Echo());
        int before = TABLE - backlog;
        var first = new Crowd(listener, 0, before);
        Rig.until("the main table is full", () -> rig.stats().accepted() == before);
        int count = before;
        for (int round = 1; round <= 3; round++) {
            var busy = new CountDownLatch(1);
            rig.loop().execute(() -> waitFor(busy));
            var burst = new Crowd(listener, round, backlog);
            Rig.until("all of the backlog is full", () -> burst.connected.get() == backlog);
            busy.countDown();
            count += backlog;
            int all = count;
            Rig.until(
                    "all were accepted",
                    () -> rig.stats().accepted() + burst.lost.get() + first.lost.get() >= all);
            assertEquals(List.of(0, 0), List.of(first.lost.get(), burst.lost.get()));
        }
        assertEquals(count, rig.stats().connections());
    }

    private static void waitFor(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
