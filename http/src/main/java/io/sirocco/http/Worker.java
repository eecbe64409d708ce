// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sirocco.http.h1.Head;
import io.sirocco.http.ws.Role;
import io.sirocco.net.Loop;
import io.sirocco.net.log.LazyLogger;
import java.lang.System.Logger.Level;
import java.util.concurrent.CompletableFuture;

/**
 * What all connections of one loop share: the routes, the head they parse into, the date, the
 * counts. Loop-confined.
 */
final class Worker extends Hub {
    private static final LazyLogger LOG = LazyLogger.of(Server.class);

    Setup setup;
    Limits limits;
    Head head = new Head();

    private byte[] dateAndServer;
    private long dateExpires = Long.MIN_VALUE;
    private long ids;

    // Counts; read by other threads, which may see them a little late.
    long requests;
    int inProgress;
    long rejected;
    int connections;
    int webSockets;
    boolean draining;
    private CompletableFuture<Void> drained = new CompletableFuture<>();

    Worker(Loop loop, Setup setup) {
        super(loop, Role.SERVER);
        adopt(setup);
    }

    /** Requests that begin from now on are served so. */
    void adopt(Setup next) {
        setup = next;
        limits = next.limits();
        dateExpires = Long.MIN_VALUE;
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

    @Override
    void socketOpened() {
        webSockets++;
    }

    @Override
    void socketClosed() {
        webSockets--;
        closed();
    }

    @Override
    long writeMillis() {
        return limits.writeMillis();
    }

    @Override
    int nextKey() {
        throw new AssertionError("a server masks nothing (RFC 6455 5.1)");
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
        return new ServerStats(loop.stats(), requests, inProgress, rejected, webSockets);
    }

    /** The lines {@code Date} and {@code Server}: the same array for a second. */
    byte[] dateAndServer() {
        if (loop.nanos() >= dateExpires) {
            long now = loop.clock().wallMillis();
            dateAndServer = setup.dateAndServer().at(now / 1000);
            dateExpires = loop.nanos() + (1000 - now % 1000) * 1_000_000;
        }
        return dateAndServer;
    }

    /** Of these lines those that are not in {@code headers}. */
    byte[] dateAndServerBeside(Headers headers) {
        String both = new String(dateAndServer(), ISO_8859_1);
        int end = both.indexOf('\n') + 1;
        String date = headers.has("Date") ? "" : both.substring(0, end);
        String server = headers.has("Server") ? "" : both.substring(end);
        return (date + server).getBytes(ISO_8859_1);
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
                            if (!exchange.pending()) {
                                return; // it was too late before its turn came
                            }
                            exchange.thread = Thread.currentThread();
                            try {
                                exchange.run();
                            } finally {
                                exchange.threadEnds();
                            }
                        });
    }

    /** Any thread. */
    Response page(int status, String message) {
        return setup.page(status, message);
    }

    /** A handler threw. Any thread. */
    @Override
    void failed(String requestId, Throwable thrown) {
        LOG.get().log(Level.ERROR, "request " + requestId + " failed", thrown);
        if (loop.inLoop()) { // before it is told of the answer
            tell(() -> setup.monitor().failed(requestId, thrown));
        } else if (monitored()) {
            execute(() -> tell(() -> setup.monitor().failed(requestId, thrown)));
        }
    }

    void tell(Runnable news) {
        try {
            news.run();
        } catch (RuntimeException e) {
            LOG.get().log(Level.WARNING, "the monitor threw", e);
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
