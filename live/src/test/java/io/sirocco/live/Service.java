// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.http.Routes;
import io.sirocco.http.Server;
import io.sirocco.http.ServerStats;
import io.sirocco.net.Clock;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** A server with event channels, and what its listeners have said. Any thread. */
final class Service implements AutoCloseable {
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(20);

    final Live live;
    final Server server;
    final int port;
    private final BlockingQueue<String> said = new LinkedBlockingQueue<>();

    Service() {
        this(c -> {});
    }

    Service(Consumer<LiveSettings> configure) {
        this(configure, routes -> {});
    }

    Service(Consumer<LiveSettings> configure, Consumer<Routes> beside) {
        this(configure, beside, Clock.system());
    }

    Service(Consumer<LiveSettings> configure, Consumer<Routes> beside, Clock clock) {
        live = Live.create(configure);
        server =
                Server.start(
                        c -> c.listen(new InetSocketAddress("127.0.0.1", 0)).loops(2).clock(clock),
                        routes -> beside.accept(routes.mount("/socket.io", live)));
        port = server.port();
    }

    /** Notes something for {@link #next}. */
    void say(String text) {
        said.add(text);
    }

    /** The next thing that was noted. */
    String next() {
        try {
            String next = said.poll(10, TimeUnit.SECONDS);
            return next == null ? "nothing within 10 seconds" : next;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Requests that have not been answered. */
    int requestsInProgress() {
        return server.stats().stream().mapToInt(ServerStats::inProgress).sum();
    }

    long connections() {
        return server.stats().stream().mapToLong(stats -> stats.net().connections()).sum();
    }

    /** Waits until something has happened that nobody tells. */
    void await(String what, BooleanSupplier happened) {
        long giveUp = System.nanoTime() + PATIENCE;
        while (!happened.getAsBoolean()) {
            if (System.nanoTime() > giveUp) {
                throw new AssertionError("waited in vain: " + what);
            }
            LockSupport.parkNanos(200_000);
        }
    }

    @Override
    public void close() {
        server.stop(Duration.ofMillis(200));
    }
}
