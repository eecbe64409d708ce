// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.http.Blocker.Way;
import io.sirocco.net.Loop;
import io.sirocco.net.Loops;
import io.sirocco.net.TransportKind;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A handler that has blocked its loop leaves it where it parks next, but not in the middle of
 * something that belongs to the loop.
 */
@Timeout(60)
class MovedInTheMiddleTest {
    /** It is asked in the middle of such a thing, and parks there. */
    private static final class Parking implements Monitor {
        final AtomicReference<Loop> loop = new AtomicReference<>();
        final CompletableFuture<String> where = new CompletableFuture<>();

        @Override
        public void rejected(RejectedRequest rejected) {
            if (Loop.isLoopThread()) {
                return; // the loop goes on meanwhile, and has come to the same
            }
            LockSupport.parkNanos(1_000_000);
            where.complete(loop.get().inLoop() ? "on the loop" : "elsewhere");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"IO_URING", "NIO"})
    void theNextPieceOfABodyIsTakenOnTheLoop(TransportKind transport) throws Exception {
        assumeTrue(Loops.carriesVirtualThreads(), "the JVM was not started for it");
        var monitor = new Parking();
        try (Blocker blocker = Blocker.of(Way.CPU);
                var serving =
                        new Serving(
                                transport,
                                c -> c.monitor(monitor),
                                routes ->
                                        routes.post(
                                                "/", request -> take(request, monitor, blocker)));
                Client client = serving.client()) {
            client.send("POST / HTTP/1.1\nHost: a\nContent-Length: 100\n\nthe first piece");
            blocker.awaitEntered();
            serving.await("it is found out", () -> serving.stats().net().blockingTaskKinds() > 0);
            blocker.release();
            assertEquals("on the loop", monitor.where.get(20, TimeUnit.SECONDS));
            client.until("HTTP/1.1 503 ");
        }
    }

    private static Response take(Request request, Parking monitor, Blocker blocker)
            throws Exception {
        Loop loop = request.loop();
        monitor.loop.set(loop);
        blocker.block();
        long all = loop.memory().limit();
        loop.memory().add(all); // the piece is refused, which the monitor is told
        try {
            request.body().next();
        } finally {
            loop.execute(() -> loop.memory().release(all));
        }
        return Response.text("never sent");
    }
}
