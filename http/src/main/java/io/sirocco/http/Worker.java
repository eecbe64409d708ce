// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sirocco.http.h1.Head;
import io.sirocco.net.Loop;
import java.lang.System.Logger.Level;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

/**
 * What all connections of one loop share: the routes, the head they parse into, the date, the
 * counts. Loop-confined.
 */
final class Worker {
    private static final System.Logger LOG = System.getLogger(Server.class.getName());

    final Loop loop;
    final Setup setup;
    final Limits limits;
    Head head = new Head();

    private byte[] dateAndServer;
    private long dateExpires = Long.MIN_VALUE;
    private long ids;

    // Counts; read by other threads, which may see them a little late.
    long requests;
    int inProgress;
    long rejected;
    int connections;
    boolean draining;
    private CompletableFuture<Void> drained = new CompletableFuture<>();

    Worker(Loop loop, Setup setup) {
        this.loop = loop;
        this.setup = setup;
        this.limits = setup.limits();
    }

    void opened() {
        connections++;
    }

    void closed() {
        connections--;
        if (draining && connections == 0) {
            drained.complete(null);
        }
    }

    /** From now on connections end; {@code end} is completed when none is left. */
    void drain(CompletableFuture<Void> end) {
        draining = true;
        drained = end;
        if (connections == 0) {
            end.complete(null);
        }
    }

    /** Any thread. */
    ServerStats stats() {
        return new ServerStats(loop.stats(), requests, inProgress, rejected);
    }

    /** The lines {@code Date} and {@code Server}, written anew once a second. */
    byte[] dateAndServer() {
        if (loop.nanos() >= dateExpires) {
            long now = loop.clock().wallMillis();
            var text =
                    new StringBuilder("Date: ").append(HttpDate.format(now / 1000)).append("\r\n");
            if (!setup.serverHeader().isEmpty()) {
                text.append("Server: ").append(setup.serverHeader()).append("\r\n");
            }
            dateAndServer = text.toString().getBytes(ISO_8859_1);
            dateExpires = loop.nanos() + (1000 - now % 1000) * 1_000_000;
        }
        return dateAndServer;
    }

    /**
     * Starts what blocks, or may; {@code exchange} knows its thread. Runs it up to where it blocks
     * first.
     */
    void virtual(Exchange exchange, Runnable task) {
        loop.startVirtual(
                () -> {
                    exchange.thread = Thread.currentThread();
                    try {
                        task.run();
                    } finally {
                        exchange.thread = null;
                    }
                });
    }

    /** Has the pool run the handler. */
    void pool(Exchange exchange) {
        setup.pool()
                .execute(
                        () -> {
                            exchange.thread = Thread.currentThread();
                            try {
                                exchange.run();
                            } finally {
                                exchange.thread = null;
                                Thread.interrupted(); // meant for this exchange, not for the next
                                // one of this thread
                            }
                        });
    }

    boolean isLoopThread() {
        return loop.inLoop() && !Thread.currentThread().isVirtual();
    }

    /** Has the loop run {@code task}; after the server's end nobody needs it. Any thread. */
    void execute(Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.log(Level.DEBUG, "too late: {0}", e.getMessage());
        }
    }

    /** Any thread. */
    Response page(int status, String message) {
        return setup.page(status, message);
    }

    /** A handler threw. Any thread. */
    void failed(String requestId, Throwable thrown) {
        LOG.log(Level.ERROR, "request " + requestId + " failed", thrown);
        tell(() -> setup.monitor().failed(requestId, thrown));
    }

    void tell(Runnable news) {
        try {
            news.run();
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "the monitor threw", e);
        }
    }

    boolean monitored() {
        return setup.monitor() != Monitor.NONE;
    }

    /**
     * Unlike any other of this process. Any thread, though two may be told the same by a race that
     * hurts nobody.
     */
    String nextId() {
        return setup.id() + "-" + loop.index() + "-" + Long.toString(++ids, 36);
    }
}
