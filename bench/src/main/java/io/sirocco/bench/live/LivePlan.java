// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

import io.sirocco.net.TransportKind;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * What to do to a server of event channels: set in the lambda given to {@link #on}, and frozen when
 * it returns.
 *
 * <p>As with {@link io.sirocco.bench.Load}, a closed loop sends as much as the server takes, and an
 * open one ({@link #rate}) at times that are fixed beforehand, from which latency counts.
 */
public final class LivePlan {
    private static final Duration LONGEST = Duration.ofDays(365);
    private static final int OPENING = 30;
    private static final int PROBERS = 16;

    final InetSocketAddress server;
    final String host;
    final String path;
    final LiveWork work;
    Optional<String> password = Optional.empty();
    boolean ticket = true;
    int clients = 1_000;
    private OptionalInt inFlight = OptionalInt.empty();
    double rate;
    int size = 32;
    int stalled;
    int loops = 1;
    int times = 1;
    Duration hold = Duration.ZERO;
    double probes;
    Duration duration = Duration.ofSeconds(10);
    Duration warmUp = Duration.ZERO;
    Duration timeout = Duration.ofSeconds(10);
    boolean watch;
    OptionalLong pid = OptionalLong.empty();
    LongSupplier cpuMicros = () -> 0;
    List<InetAddress> sources = List.of();
    TransportKind transport = TransportKind.AUTO;

    // How finely the course is looked at; tests want it finer
    Duration tick = Duration.ofSeconds(1);

    private LivePlan(InetSocketAddress server, String host, String path, LiveWork work) {
        this.server = server;
        this.host = host;
        this.path = path;
        this.work = work;
    }

    /**
     * @param host for the Host field
     * @param path where Engine.IO is, with a slash at its end: {@code /socket.io/}
     * @throws IllegalArgumentException when a setting, or two of them together, make no sense
     */
    public static LivePlan on(
            InetSocketAddress server,
            String host,
            String path,
            LiveWork work,
            Consumer<LivePlan> configure) {
        var plan = new LivePlan(server, host, path, work);
        configure.accept(plan);
        plan.check();
        return plan;
    }

    /** What admits a client; none is asked for unless set. */
    public LivePlan password(String password) {
        this.password = Optional.of(password);
        return this;
    }

    /** Returns a refusal in words: it says so if the plan has no password and needs one. */
    String told(String refusal) {
        return password.isEmpty() && refusal.contains("\"unauthorized\"")
                ? "the server admits nobody without a password: set SIROCCO_PASSWORD"
                : refusal;
    }

    /**
     * Whether each client fetches a ticket for the password and connects with that, as it does
     * unless set; else with the password itself.
     */
    public LivePlan ticket(boolean ticket) {
        this.ticket = ticket;
        return this;
    }

    /** Clients, over all loops; of a fan-out its receivers. 1,000 unless set. */
    public LivePlan clients(int clients) {
        this.clients = clients;
        return this;
    }

    /**
     * Clients that are connecting at the same time (30 unless set), requests of one client (1), or
     * messages that have not reached all (8), by the work.
     */
    public LivePlan inFlight(int inFlight) {
        this.inFlight = OptionalInt.of(inFlight);
        return this;
    }

    /**
     * Round trips of all clients, or messages of the publisher, per second at fixed times; 0, which
     * is so unless set: as many as go.
     */
    public LivePlan rate(double rate) {
        this.rate = rate;
        return this;
    }

    /** Bytes of the text that is sent, beside what names it; 32 unless set. */
    public LivePlan size(int size) {
        this.size = size;
        return this;
    }

    /** Further receivers that stop reading before the first message; none unless set. */
    public LivePlan stalled(int stalled) {
        this.stalled = stalled;
        return this;
    }

    /** Loops, each a thread of its own; 1 unless set. */
    public LivePlan loops(int loops) {
        this.loops = loops;
        return this;
    }

    /** How often all connect, one time after the other, within {@link #duration}; 1 unless set. */
    public LivePlan times(int times) {
        this.times = times;
        return this;
    }

    /**
     * How long all stay who have connected; of a fan-out, before the first message. Not at all
     * unless set.
     */
    public LivePlan hold(Duration hold) {
        this.hold = hold;
        return this;
    }

    /**
     * Echoes per second that further clients ask for while the receivers of a fan-out are idle, and
     * again while messages are published; 0, which is so unless set: none.
     */
    public LivePlan probes(double perSecond) {
        this.probes = perSecond;
        return this;
    }

    /** How long to measure; 10 s unless set. */
    public LivePlan duration(Duration duration) {
        this.duration = duration;
        return this;
    }

    /** How long to do the same before measuring; not at all unless set. */
    public LivePlan warmUp(Duration warmUp) {
        this.warmUp = warmUp;
        return this;
    }

    /** How long to wait for a connection, an answer, the last delivery; 10 s unless set. */
    public LivePlan timeout(Duration timeout) {
        this.timeout = timeout;
        return this;
    }

    /**
     * Whether to look at the server's process, if it runs on this machine: a JVM is made to collect
     * its garbage before and after. Not unless set.
     */
    public LivePlan watch(boolean watch) {
        this.watch = watch;
        return this;
    }

    /** The server's process; found by its socket when not set. */
    public LivePlan pid(OptionalLong pid) {
        this.pid = pid;
        return this;
    }

    /** What the server has used until now, where somebody else knows; 0 unless set. */
    public LivePlan cpuMicros(LongSupplier cpuMicros) {
        this.cpuMicros = cpuMicros;
        return this;
    }

    /** Addresses of our own to connect from, in turn; the system chooses unless set. */
    public LivePlan sources(List<InetAddress> sources) {
        this.sources = List.copyOf(sources);
        return this;
    }

    /** How to talk to the kernel. */
    public LivePlan transport(TransportKind transport) {
        this.transport = transport;
        return this;
    }

    /** What its clients do. */
    public LiveWork work() {
        return work;
    }

    /** Sessions in all, the publisher included. */
    int sessions() {
        return work == LiveWork.FANOUT ? clients + stalled + 1 + probers() : clients;
    }

    /** Clients that ask for echoes beside a fan-out. */
    int probers() {
        return probes == 0 ? 0 : Math.max(PROBERS, loops);
    }

    /** Those that may be connecting at the same time. */
    int opening() {
        return work == LiveWork.CONNECT ? inFlight.orElse(OPENING) : OPENING;
    }

    /** Requests of one client, or messages, that are under way at the same time. */
    int window() {
        return inFlight.orElse(work == LiveWork.FANOUT ? 8 : 1);
    }

    private void check() {
        require(loops >= 1 && loops <= 256, "loops must be from 1 to 256, not " + loops);
        require(
                clients >= loops && clients <= 1_000_000,
                "clients must be from the number of loops, "
                        + loops
                        + ", to 1,000,000, not "
                        + clients);
        require(
                window() >= 1 && window() <= 1_000,
                "in flight there may be 1 to 1000, not " + window());
        require(
                rate == 0 || rate >= 1e-3 && rate <= 1e7,
                "rate must be from 0.001 to 10,000,000, or 0 for as many as go, not " + rate);
        require(size >= 0 && size <= 500_000, "size must be from 0 to 500,000 bytes, not " + size);
        require(
                stalled >= 0 && stalled <= 10_000,
                "stalled must be from 0 to 10,000, not " + stalled);
        require(
                stalled == 0 || work == LiveWork.FANOUT,
                "only receivers of a fan-out can stop reading");
        require(times >= 1, "times must be at least 1, not " + times);
        boolean connect = work == LiveWork.CONNECT;
        boolean fanout = work == LiveWork.FANOUT;
        require(
                connect || times == 1,
                "times are for those who connect and leave, without another work");
        require(connect || fanout || hold.isZero(), "clients that ask for echoes are not idle");
        require(
                probes == 0 || fanout && probes >= 1e-3 && probes <= 1e6,
                "probes are echoes beside a fan-out, from 0.001 to 1,000,000 per second");
        require(!connect || rate == 0, "a rate is of round trips or messages: choose one of them");
        require(duration.isPositive(), "duration must be positive");
        require(timeout.isPositive(), "timeout must be positive");
        require(!warmUp.isNegative() && !hold.isNegative(), "a time must not be negative");
        for (Duration each : List.of(duration, timeout, warmUp, hold)) {
            require(each.compareTo(LONGEST) <= 0, "a time must be at most a year");
        }
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
