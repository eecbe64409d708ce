// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

import io.sirocco.net.TransportKind;
import io.sirocco.net.limit.Ip;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.StringJoiner;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * What to do to a server: set in the lambda given to {@link #on}, and frozen when it returns.
 *
 * <p>A <em>closed</em> loop, which is the default, sends the next request of a connection when the
 * answer to its last one has come: it finds out how much a server can take. An <em>open</em> loop
 * ({@link #rate}) sends requests at times that are fixed beforehand, as users do, and counts
 * latency from those times: a server that stalls for a second makes a second's worth of requests
 * late, and all of them are in the figures (Tene, "How not to measure latency", 2013).
 */
public final class Load {
    /** How the next request is chosen when there are several. */
    public enum Order {
        /** One after the other, around and around; whichever connection of a loop comes next. */
        ROUND_ROBIN,
        /** At random, by weight; the same choices in every run. */
        WEIGHTED
    }

    private static final int SHOWN = 5;
    private static final Duration LONGEST = Duration.ofDays(365);

    final SocketAddress server;
    final List<Call> calls;
    Order order = Order.ROUND_ROBIN;
    int connections = 64;
    int loops = 1;
    int pipeline = 1;
    boolean close;
    double rate;
    Duration duration = Duration.ofSeconds(10);
    long requests = Long.MAX_VALUE;
    Duration warmUp = Duration.ZERO;
    Duration timeout = Duration.ofSeconds(10);
    List<InetAddress> sources = List.of();
    TransportKind transport = TransportKind.AUTO;

    // How finely the course is looked at, and how long what is under way may take when a run is
    // interrupted; tests want less
    Duration tick = Duration.ofSeconds(1);
    Duration grace = Duration.ofSeconds(1);

    private Load(SocketAddress server, List<Call> calls) {
        this.server = server;
        this.calls = List.copyOf(calls);
    }

    /**
     * @param calls what to ask, at least one
     * @throws IllegalArgumentException when a setting, or two of them together, make no sense
     */
    public static Load on(SocketAddress server, List<Call> calls, Consumer<Load> configure) {
        var load = new Load(server, calls);
        configure.accept(load);
        load.check();
        return load;
    }

    /** How the next request is chosen; {@link Order#ROUND_ROBIN} unless set. */
    public Load order(Order order) {
        this.order = order;
        return this;
    }

    /** Connections that are open at once, over all loops; 64 unless set. */
    public Load connections(int connections) {
        this.connections = connections;
        return this;
    }

    /** Loops, each a thread of its own; 1 unless set. */
    public Load loops(int loops) {
        this.loops = loops;
        return this;
    }

    /** Requests of a connection that leave in one write, before their answers; 1 unless set. */
    public Load pipeline(int pipeline) {
        this.pipeline = pipeline;
        return this;
    }

    /** Whether each request has a connection of its own, and says {@code Connection: close}. */
    public Load close(boolean close) {
        this.close = close;
        return this;
    }

    /**
     * Requests per second over all connections, at fixed times; 0, which is so unless set: as many
     * as go.
     */
    public Load rate(double rate) {
        this.rate = rate;
        return this;
    }

    /** How long to measure at most; 10 s unless set. */
    public Load duration(Duration duration) {
        this.duration = duration;
        return this;
    }

    /** How many requests to measure at most; no bound unless set. */
    public Load requests(long requests) {
        this.requests = requests;
        return this;
    }

    /** How long to do the same before measuring; not at all unless set. */
    public Load warmUp(Duration warmUp) {
        this.warmUp = warmUp;
        return this;
    }

    /** How long to wait for a connection or an answer; 10 s unless set. */
    public Load timeout(Duration timeout) {
        this.timeout = timeout;
        return this;
    }

    /** Addresses of our own to connect from, in turn; the system chooses unless set. */
    public Load sources(List<InetAddress> sources) {
        this.sources = List.copyOf(sources);
        return this;
    }

    /** How to talk to the kernel. */
    public Load transport(TransportKind transport) {
        this.transport = transport;
        return this;
    }

    private void check() {
        require(!calls.isEmpty(), "a load needs at least one request");
        require(loops >= 1 && loops <= 256, "loops must be from 1 to 256, not " + loops);
        require(
                connections >= loops && connections <= 10_000_000,
                "connections must be from the number of loops, "
                        + loops
                        + ", to 10,000,000, not "
                        + connections);
        require(
                pipeline >= 1 && pipeline <= 1_000,
                "pipeline must be from 1 to 1000, not " + pipeline);
        require(
                rate == 0 || rate >= 1e-3 && rate <= 1e8,
                "rate must be from 0.001 to 100,000,000, or 0 for as many as go, not " + rate);
        require(requests >= 1, "requests must be at least 1, not " + requests);
        require(duration.isPositive(), "duration must be positive");
        require(timeout.isPositive(), "timeout must be positive");
        require(!warmUp.isNegative(), "warm-up must not be negative");
        for (Duration each : List.of(duration, timeout, warmUp)) {
            require(each.compareTo(LONGEST) <= 0, "a time must be at most a year");
        }
        require(!close || pipeline == 1, "close leaves nothing to pipeline: choose one of them");
        require(
                rate == 0 || pipeline == 1,
                "at a fixed rate nothing is pipelined: choose one of rate and pipeline");
    }

    /** The server's address, as people write it. */
    String where() {
        return Ip.text(server);
    }

    /** All of it in one line. */
    @Override
    public String toString() {
        var text = new StringJoiner(", ", asked() + " of " + where() + ": ", "");
        text.add("connections " + connections).add("loops " + loops);
        text.add(rate == 0 ? "closed loop" : "rate " + rate + "/s");
        if (pipeline > 1) {
            text.add("pipeline " + pipeline);
        }
        if (close) {
            text.add("a connection for each request");
        }
        text.add("duration " + duration);
        if (requests < Long.MAX_VALUE) {
            text.add("requests " + requests);
        }
        text.add("warm-up " + warmUp).add("timeout " + timeout);
        if (!sources.isEmpty()) {
            String more = sources.size() == 1 ? "" : " and " + (sources.size() - 1) + " more";
            text.add("from " + sources.getFirst().getHostAddress() + more);
        }
        return text.add("transport " + transport.label()).toString();
    }

    private String asked() {
        boolean weighted = order == Order.WEIGHTED;
        String all =
                calls.stream()
                        .limit(SHOWN)
                        .map(call -> call.label() + (weighted ? " (" + call.weight() + ")" : ""))
                        .collect(Collectors.joining(", "));
        String more = calls.size() <= SHOWN ? "" : " and " + (calls.size() - SHOWN) + " more";
        return all + more + (weighted ? ", at random by weight," : "");
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
