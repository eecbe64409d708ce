// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.locks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.http.SseSink;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A writer that does not run on the loop, as on a route that the watchdog has moved, sends while it
 * has a lock for which code on the loop waits.
 */
@Timeout(60)
final class WriterOffTheLoopTest {
    private final ReentrantLock lock = new ReentrantLock();
    private final CountDownLatch held = new CountDownLatch(1);

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void doesNotWaitForALoopThatWaitsForIt(TransportKind transport) throws Exception {
        Server server =
                LockedServer.withOneLoop(
                        transport,
                        routes -> {
                            routes.route("GET", "/events", _ -> Response.events(this::send))
                                    .executionMode(ExecutionMode.POOL);
                            routes.route("GET", "/inline", _ -> inline())
                                    .executionMode(ExecutionMode.INLINE);
                        });
        try (AutoCloseable _ = () -> LockedServer.stop(server);
                var events = new Caller(server.port());
                var other = new Caller(server.port())) {
            events.send("GET /events HTTP/1.1\nHost: a\n\n");
            held.await();
            other.send("GET /inline HTTP/1.1\nHost: a\n\n");
            assertEquals(200, other.receive().status());
        }
    }

    private void send(SseSink sink) throws IOException {
        lock.lock();
        try {
            held.countDown();
            while (!lock.hasQueuedThreads()) {
                Thread.onSpinWait();
            }
            for (int i = 0; i < 10; i++) {
                sink.send("event " + i);
            }
        } finally {
            lock.unlock();
        }
    }

    private Response inline() {
        lock.lock();
        lock.unlock();
        return Response.text("free");
    }
}
