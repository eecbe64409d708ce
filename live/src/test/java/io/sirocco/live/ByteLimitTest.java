// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.testkit.ManualClock;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How many bytes of a client are read in a second, on a clock that is moved by hand. */
class ByteLimitTest {
    private static final int SIZE = 1_000;

    private final ManualClock clock = new ManualClock();
    private final LinkedBlockingQueue<Long> handledAt = new LinkedBlockingQueue<>();

    private Server start(Live live) {
        live.on("e", (client, a) -> handledAt.add(clock.nanos() / 1_000_000));
        return Server.start(
                c -> c.listen(new InetSocketAddress("127.0.0.1", 0)).loops(1).clock(clock),
                routes ->
                        routes.mount("/socket.io", live)
                                .get("/turn", request -> Response.text("")));
    }

    /** When it was handled; the clock is moved until it is. */
    private long next(Poller beside) throws IOException {
        for (int steps = 0; steps < 1_000; steps++) {
            Long at = handledAt.poll();
            if (at != null) {
                return at;
            }
            clock.advance(50);
            for (int turns = 0; turns < 4; turns++) {
                beside.ask("GET /turn", ""); // the only loop has looked at all that there was
            }
        }
        throw new AssertionError("the rest is never read");
    }

    private static String event() {
        return "42[\"e\",\"" + "x".repeat(SIZE) + "\"]";
    }

    @Test
    void aClientIsReadNoFasterThanItsBytesAllow() throws Exception {
        Live live = Live.create(c -> c.bytes(SIZE).ping(Duration.ofHours(9), Duration.ofHours(9)));
        Server server = start(live);
        try (Peer peer = Peer.client(server.port());
                var beside = new Poller(server.port())) {
            for (int i = 0; i < 5; i++) {
                peer.send(event());
            }
            assertEquals(0, handledAt.poll(20, TimeUnit.SECONDS)); // a second's worth is saved
            long before = next(beside); // and what is read then is owed
            for (int i = 0; i < 3; i++) {
                long at = next(beside);
                assertTrue(at - before >= 900, at + " ms, behind one at " + before + " ms");
                before = at;
            }
            assertEquals(1, live.clients().size());
        } finally {
            server.stop(Duration.ZERO);
        }
    }

    @Test
    void anotherClientIsReadMeanwhile() throws Exception {
        Live live = Live.create(c -> c.bytes(SIZE).ping(Duration.ofHours(9), Duration.ofHours(9)));
        Server server = start(live);
        try (Peer greedy = Peer.client(server.port());
                Peer modest = Peer.client(server.port())) {
            greedy.send(event()).send(event()).send(event());
            assertEquals(0, handledAt.poll(20, TimeUnit.SECONDS));
            modest.send("42[\"e\",1]");
            assertEquals(0, handledAt.poll(20, TimeUnit.SECONDS));
        } finally {
            server.stop(Duration.ZERO);
        }
    }
}
