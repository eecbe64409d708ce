// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.net.TransportKind;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/** A server under test, with one loop, and what its monitor was told. Any thread. */
final class Serving implements AutoCloseable, Monitor {
    /** Where handlers run. */
    enum Mode {
        VIRTUAL(ExecutionMode.VIRTUAL, true),
        /** On virtual threads of the JDK's scheduler: where the JVM lets no loop carry any. */
        UNCARRIED(ExecutionMode.VIRTUAL, false),
        INLINE(ExecutionMode.INLINE, true),
        POOL(ExecutionMode.POOL, true);

        final ExecutionMode handling;
        final boolean carried;

        Mode(ExecutionMode handling, boolean carried) {
            this.handling = handling;
            this.carried = carried;
        }
    }

    final Server server;
    final String name;
    private final boolean secure;
    private final ConcurrentLinkedQueue<RequestError> rules = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Told> answers = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<String> moved = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();

    Serving(TransportKind transport, Consumer<Config> config, Consumer<Routes> routes) {
        this(transport, Mode.VIRTUAL, config, routes);
    }

    Serving(TransportKind transport, Mode mode, Consumer<Config> config, Consumer<Routes> routes) {
        this(transport, mode, false, config, routes);
    }

    /** One that speaks HTTPS, if {@code secure}. */
    Serving(
            TransportKind transport,
            Mode mode,
            boolean secure,
            Consumer<Config> config,
            Consumer<Routes> routes) {
        this.secure = secure;
        this.name = transport + " " + mode + (secure ? " HTTPS" : "");
        var address = new InetSocketAddress("127.0.0.1", 0);
        System.setProperty("io.sirocco.net.uncarried", Boolean.toString(!mode.carried));
        try {
            this.server =
                    Server.start(
                            c -> {
                                (secure ? c.listen(address, TlsLink.TLS) : c.listen(address))
                                        .loops(1)
                                        .transport(transport)
                                        .executionMode(mode.handling)
                                        .blockedLoopThreshold(java.time.Duration.ZERO)
                                        .monitor(this)
                                        .sniHostCheck(false); // cases name any host
                                config.accept(c);
                            },
                            routes);
        } finally {
            System.clearProperty("io.sirocco.net.uncarried");
        }
    }

    Client client() {
        return new Client(server, 0, secure);
    }

    @Override
    public void rejected(RejectedRequest rejected) {
        rules.add(rejected.error());
    }

    @Override
    public void completed(CompletedRequest answered) {
        answers.add(
                new Told(
                        answered.remoteAddress(),
                        answered.method(),
                        answered.route(),
                        answered.status(),
                        answered.bytesOut(),
                        answered.isComplete()));
    }

    @Override
    public void routeMoved(String route, long millis, StackTraceElement[] stack) {
        moved.add(route);
    }

    /** The routes that were moved off the loops. */
    List<String> moved() {
        return List.copyOf(moved);
    }

    @Override
    public void handlerFailed(String requestId, Throwable thrown) {
        failures.add(thrown);
    }

    /** The rules that were broken since this was asked last. */
    List<RequestError> rules() {
        return drain(rules);
    }

    /** What was answered since this was asked last. */
    List<Told> answers() {
        return drain(answers);
    }

    /** What handlers have thrown since this was asked last. */
    List<Throwable> failures() {
        return drain(failures);
    }

    /** What lasts of an {@link CompletedRequest}. */
    record Told(
            SocketAddress remote,
            String method,
            String route,
            int status,
            long bytesOut,
            boolean complete) {}

    private static <T> List<T> drain(ConcurrentLinkedQueue<T> queue) {
        var all = new ArrayList<T>();
        for (T one; (one = queue.poll()) != null; ) {
            all.add(one);
        }
        return all;
    }

    ServerStats stats() {
        return server.stats().getFirst();
    }

    void await(String what, java.util.function.BooleanSupplier happened) {
        Client.await(what, happened, this);
    }

    /** Waits until no request is in progress and no connection is open. */
    void awaitQuiet() {
        await(
                "no request in progress and no connection",
                () -> stats().inProgress() == 0 && stats().net().connections() == 0);
    }

    @Override
    public void close() {
        if (server.isRunning()) {
            server.stop(java.time.Duration.ZERO);
        }
    }

    @Override
    public String toString() {
        return name + " " + (server.isRunning() ? stats() : "stopped");
    }
}
