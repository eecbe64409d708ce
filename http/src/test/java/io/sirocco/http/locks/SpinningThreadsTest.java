// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.locks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.net.TransportKind;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A handler on the loop and a virtual thread of the loop yield until a third thread of the loop has
 * done something, for which that must be woken from elsewhere: those that yield do not overtake it
 * for ever.
 */
@Timeout(60)
final class SpinningThreadsTest {
    private volatile boolean taken = true;
    private final CountDownLatch held = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);
    private final CountDownLatch spinning = new CountDownLatch(1);
    private final CountDownLatch bothSpinning = new CountDownLatch(1);

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void letTheHolderGoOn(TransportKind transport) throws Exception {
        Server server =
                LockedServer.withOneLoop(
                        transport,
                        routes -> {
                            routes.route("GET", "/hold", _ -> hold())
                                    .executionMode(ExecutionMode.LOOP);
                            routes.route("GET", "/spin", _ -> spin(spinning))
                                    .executionMode(ExecutionMode.LOOP);
                            routes.route("GET", "/spin-inline", _ -> spin(bothSpinning))
                                    .executionMode(ExecutionMode.INLINE);
                        });
        try (AutoCloseable _ = () -> LockedServer.stop(server);
                var holder = new Caller(server.port());
                var one = new Caller(server.port());
                var other = new Caller(server.port())) {
            holder.send("GET /hold HTTP/1.1\nHost: a\n\n");
            held.await();
            one.send("GET /spin HTTP/1.1\nHost: a\n\n");
            spinning.await();
            other.send("GET /spin-inline HTTP/1.1\nHost: a\n\n");
            bothSpinning.await();
            release.countDown();
            assertEquals(200, holder.receive().status());
            assertEquals(200, one.receive().status());
            assertEquals(200, other.receive().status());
        }
    }

    private Response hold() throws InterruptedException {
        held.countDown();
        release.await();
        taken = false;
        return Response.text("released");
    }

    private Response spin(CountDownLatch begun) {
        while (taken) {
            begun.countDown();
            Thread.yield();
        }
        return Response.text("free");
    }
}
