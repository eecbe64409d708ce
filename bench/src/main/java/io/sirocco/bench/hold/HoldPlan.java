// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import io.sirocco.net.TransportKind;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** Which connections to hold, and how: set in the lambda given to {@link #of}, then frozen. */
public final class HoldPlan {
    final InetSocketAddress server;
    final String host;
    final String target;
    int connections = 10_000;
    double ramp = 5_000;
    int opening = 256;
    Span think = new Span(10_000, 99_000);
    Optional<Span> length = Optional.empty();
    Duration duration = Duration.ofMinutes(2);
    Duration timeout = Duration.ofSeconds(10);
    boolean reopen = true;
    int processes;
    List<InetAddress> sources = List.of();
    OptionalLong pid = OptionalLong.empty();
    TransportKind transport = TransportKind.AUTO;

    // How finely the course is looked at; tests want it finer
    Duration tick = Duration.ofSeconds(1);
    Duration quiet = Duration.ofSeconds(3);

    // Whether heaps are measured behind a collection, that of the server by a program of the JDK;
    // most tests do without
    boolean heap = true;

    private HoldPlan(InetSocketAddress server, String host, String target) {
        this.server = server;
        this.host = host;
        this.target = target;
    }

    /**
     * @param host of the Host field
     * @param target path and query; {@link Question#PLACE} in it stands for the length
     * @throws IllegalArgumentException when a setting, or two of them together, make no sense
     */
    public static HoldPlan of(
            InetSocketAddress server, String host, String target, Consumer<HoldPlan> configure) {
        var plan = new HoldPlan(server, host, target);
        configure.accept(plan);
        plan.check();
        return plan;
    }

    /** Connections to hold; 10,000 unless set. */
    public HoldPlan connections(int connections) {
        this.connections = connections;
        return this;
    }

    /** How many are opened per second; 5,000 unless set. */
    public HoldPlan ramp(double perSecond) {
        this.ramp = perSecond;
        return this;
    }

    /** How long a connection waits between an answer and its next question, in milliseconds. */
    public HoldPlan think(Span millis) {
        this.think = millis;
        return this;
    }

    /** Bytes to ask for; when it is not set, all answers are to have the length of the first. */
    public HoldPlan length(Optional<Span> bytes) {
        this.length = bytes;
        return this;
    }

    /** How long to hold them from when all are open; 2 minutes unless set. */
    public HoldPlan duration(Duration duration) {
        this.duration = duration;
        return this;
    }

    /** How long to wait for a connection or an answer; 10 s unless set. */
    public HoldPlan timeout(Duration timeout) {
        this.timeout = timeout;
        return this;
    }

    /** Whether what is lost is opened again; so unless set. */
    public HoldPlan reopen(boolean reopen) {
        this.reopen = reopen;
        return this;
    }

    /** Processes to spread over; 0, which is so unless set: as few as go. */
    public HoldPlan processes(int processes) {
        this.processes = processes;
        return this;
    }

    /** Addresses of our own to connect from, in turn; see {@link LoopbackSources} when not set. */
    public HoldPlan sources(List<InetAddress> sources) {
        this.sources = List.copyOf(sources);
        return this;
    }

    /** The server's process; found by its socket when not set. */
    public HoldPlan pid(OptionalLong pid) {
        this.pid = pid;
        return this;
    }

    /** How to talk to the kernel. */
    public HoldPlan transport(TransportKind transport) {
        this.transport = transport;
        return this;
    }

    /** Connections to hold. */
    public int connections() {
        return connections;
    }

    /** How many are opened per second. */
    public double ramp() {
        return ramp;
    }

    /** Milliseconds between an answer and the next question. */
    public Span think() {
        return think;
    }

    /** Bytes to ask for. */
    public Optional<Span> length() {
        return length;
    }

    /** Questions per second when nothing takes any time. */
    public double expectedRate() {
        return connections * 1e3 / think.mean();
    }

    List<InetAddress> effectiveSources() {
        return sources.isEmpty() ? LoopbackSources.of(server.getAddress(), connections) : sources;
    }

    private void check() {
        Question.of(host, target, length.isPresent());
        require(
                connections >= 1 && connections <= 10_000_000,
                "connections must be from 1 to 10,000,000, not " + connections);
        require(
                ramp >= 1 && ramp <= 1_000_000,
                "the ramp must be from 1/s to 1000000/s, not " + ramp);
        require(
                think.from() >= 1 && think.to() <= 86_400_000,
                "a think time must be from 1 ms to a day");
        require(
                length.isEmpty() || length.get().to() <= 1 << 30,
                "a length must be a gigabyte at most");
        require(duration.isPositive(), "duration must be positive");
        require(timeout.isPositive(), "timeout must be positive");
        require(
                processes >= 0 && processes <= Math.min(connections, 1024),
                "processes must be from 1 to 1024, and no more than connections");
        require(
                sources.stream().allMatch(s -> s.getClass() == server.getAddress().getClass()),
                "the sources must be addresses of the same kind as the server's");
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
