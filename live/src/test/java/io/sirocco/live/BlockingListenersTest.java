// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.http.Server;
import io.sirocco.net.Loops;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Listeners that block their loop without parking do so once. The second time they are released by
 * an event of another client of the same loop, which would not come if they held it.
 */
@Timeout(60)
class BlockingListenersTest {
    private final Live live = Live.create(c -> {});
    private final CountDownLatch released = new CountDownLatch(1);
    private final BlockingQueue<String> said = new LinkedBlockingQueue<>();
    private Server server;

    @BeforeEach
    void start() {
        assumeTrue(Loops.carriesVirtualThreads(), "the JVM was not started for it");
        server =
                Server.start(
                        c -> c.listen(new InetSocketAddress("127.0.0.1", 0)).loops(1),
                        routes -> routes.mount("/socket.io", live));
        live.on("release", (client, a) -> released.countDown());
    }

    @AfterEach
    void stop() {
        server.stop(Duration.ofMillis(200));
    }

    private void block(String name) {
        boolean first = blockers() == 0;
        BooleanSupplier end = first ? () -> blockers() > 0 : () -> released.getCount() == 0;
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!end.getAsBoolean() && System.nanoTime() < giveUp) {
            Thread.onSpinWait();
        }
        said.add(name + (end.getAsBoolean() ? " released" : " never released"));
    }

    private int blockers() {
        return server.stats().getFirst().net().blockingTaskKinds();
    }

    private String next() throws InterruptedException {
        return said.poll(30, TimeUnit.SECONDS);
    }

    @Test
    void aListenerThatHasBlockedItsLoopOnceBlocksItNoMore() throws Exception {
        live.on("work", (client, a) -> block("work " + a.asInt(0)));
        try (Peer one = Peer.client(server.port());
                Peer other = Peer.client(server.port())) {
            one.send("42[\"work\",1]");
            assertEquals("work 1 released", next());
            one.send("42[\"work\",2]");
            other.send("42[\"release\"]");
            assertEquals("work 2 released", next());
        }
    }

    @Test
    void anAnswererThatHasBlockedItsLoopOnceBlocksItNoMore() throws Exception {
        live.onRequest(
                "ask",
                (client, a) -> {
                    block("ask " + a.asInt(0));
                    return a.asInt(0);
                });
        try (Peer one = Peer.client(server.port());
                Peer other = Peer.client(server.port())) {
            one.send("421[\"ask\",1]").expects("431[1]");
            one.send("422[\"ask\",2]");
            other.send("42[\"release\"]");
            one.expects("432[2]");
        }
    }

    @Test
    void whatIsDoneForComingClientsBlocksTheirLoopOnce() throws Exception {
        live.onConnect(client -> block("connect"));
        try (Peer one = Peer.client(server.port())) {
            assertEquals("connect released", next());
            try (Peer _ = Peer.client(server.port())) {
                one.send("42[\"release\"]");
                assertEquals("connect released", next());
            }
        }
    }

    @Test
    void whatAuthenticatesClientsBlocksTheirLoopOnce() throws Exception {
        live.authenticate(
                by ->
                        by.authenticate(
                                attempt -> {
                                    block("admit");
                                    return Admission.anybody();
                                }));
        try (Peer one = Peer.client(server.port())) {
            assertEquals("admit released", next());
            var second = new CopyOnWriteArrayList<Peer>();
            Thread comes = Thread.ofVirtual().start(() -> second.add(Peer.client(server.port())));
            one.send("42[\"release\"]");
            assertEquals("admit released", next());
            comes.join();
            second.forEach(Peer::close);
        }
    }

    /** Events of one client keep their order when one of them moves from the loop. */
    @Test
    void eventsBehindOneThatWasMovedKeepTheirOrder() throws Exception {
        live.on("work", (client, a) -> block("work"));
        live.on("note", (client, a) -> said.add("note " + a.asInt(0)));
        try (Peer one = Peer.client(server.port());
                Peer other = Peer.client(server.port())) {
            one.send("42[\"note\",0]").send("42[\"work\"]").send("42[\"note\",1]");
            assertEquals(List.of("note 0", "work released", "note 1"), nexts(3));
            one.send("42[\"note\",2]").send("42[\"work\"]").send("42[\"note\",3]");
            other.send("42[\"release\"]");
            assertEquals(List.of("note 2", "work released", "note 3"), nexts(3));
        }
    }

    private List<String> nexts(int count) throws InterruptedException {
        var all = new CopyOnWriteArrayList<String>();
        for (int i = 0; i < count; i++) {
            all.add(next());
        }
        return all;
    }
}
