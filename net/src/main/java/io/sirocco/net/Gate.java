// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.log.LazyLogger;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

/**
 * One loop's share of a {@link Listener}: admits connections as long as it has slots, parks or
 * stops accepting when it has none, keeps the pace, and backs off when the system is out of
 * descriptors or memory, so that the listener neither dies nor spins. Loop-confined.
 */
final class Gate implements Origin {
    private static final LazyLogger LOG = LazyLogger.of(Gate.class);
    private static final long BACK_OFF = 100;
    private static final long LONGEST_BACK_OFF = 1_000;

    /** More connections than can have come since the last turn. */
    private static final int MANY = 8_192;

    final Loop loop;
    final Socket socket;
    private final Listener listener;
    private final ArrayDeque<Connection> parked = new ArrayDeque<>();

    /** By whom those were admitted who had to ask; null while nobody had to. */
    private Map<Connection, Admission> admitted;

    private int active;
    private List<Gate> spread = List.of();
    private Gate source = this; // the one that accepts for it
    private volatile boolean full; // read by the one that spreads, too
    private int turn;
    private long backOff = BACK_OFF;
    private boolean accepting = true;
    private boolean pausing; // an alarm will look at it again
    private boolean closed;

    /** What the transport accepts on: a descriptor or a channel. */
    sealed interface Socket permits Uring.Listening, Nio.Listening, None {}

    /** Nothing: connections are handed to it by another gate. */
    record None() implements Socket {}

    /** What the transport knows it by. */
    int id;

    /** Whether the transport has an accept under way. */
    boolean armed;

    /** Whether that one accepts as many as come. */
    boolean multishot;

    Gate(Loop loop, Listener listener, Socket socket) {
        this.loop = loop;
        this.listener = listener;
        this.socket = socket;
    }

    /** Hands what it accepts to {@code gates} in turn: the address can be bound once only. */
    void spreadOver(List<Gate> gates) {
        spread = List.copyOf(gates);
        gates.forEach(gate -> gate.source = this);
    }

    /** The gate that the next connection shall pass: itself, unless it spreads them. */
    Gate next() {
        for (int i = 0; i < spread.size(); i++) {
            Gate gate = spread.get((turn + i) % spread.size());
            if (!gate.full) {
                return gate;
            }
        }
        return this;
    }

    /** The same; the one behind it has the next turn. */
    Gate takeNext() {
        Gate gate = next();
        turn = spread.isEmpty() ? 0 : (spread.indexOf(gate) + 1) % spread.size();
        if (gate != this && listener.options.slots != Integer.MAX_VALUE) {
            gate.full = true; // until it says that it has room for more
            decide();
        }
        return gate;
    }

    /** A connection that was on its way to it never came. */
    void lost() {
        decide();
    }

    @Override
    public Loop loop() {
        return loop;
    }

    @Override
    public SocketAddress local(Connection connection) {
        return listener.address();
    }

    /**
     * Whether the transport is to accept one connection and then ask again, not as many as come.
     */
    boolean oneAtATime() {
        return paced() || room() < MANY;
    }

    private boolean paced() {
        return listener.options.accepts.rate() != Bandwidth.UNLIMITED;
    }

    /** How many more connections may be accepted. */
    private long room() {
        long slots = (long) listener.options.slots - active;
        return listener.options.whenFull == WhenFull.BACKLOG
                ? slots
                : slots + listener.options.parked - parked.size();
    }

    boolean listening() {
        return !closed;
    }

    boolean accepting() {
        return accepting && !closed;
    }

    /** The transport has accepted a connection. */
    void accepted(Connection connection) {
        backOff = BACK_OFF;
        loop.accepted(connection);
        if (active < listener.options.slots) {
            start(connection);
        } else {
            parked.add(connection);
            loop.parked++;
            connection.deadline(loop.now() + listener.options.parkedMillis);
        }
        if (paced()) {
            listener.options.accepts.spend(1, loop.nanos());
        }
        decide();
    }

    /** Accepting has failed for want of something that may come back. */
    void failed(String reason) {
        loop.acceptFailures++;
        Loop.warn(
                LOG.get(),
                loop + " cannot accept: " + reason + "; trying again in " + backOff + " ms",
                null);
        try {
            loop.settings.observer.acceptFailed(loop, reason);
        } catch (Throwable e) {
            Loop.warn(LOG.get(), "the observer threw", e);
        }
        pause(backOff);
        backOff = Math.min(backOff * 2, LONGEST_BACK_OFF);
    }

    @Override
    public void gone(Connection connection) {
        if (connection.parked()) {
            parked.remove(connection);
            loop.parked--;
        } else {
            active--;
            Admission by = admitted == null ? null : admitted.remove(connection);
            if (by != null) {
                by.gone(connection.remote());
            }
            if (!parked.isEmpty() && active < listener.options.slots) {
                loop.parked--;
                start(parked.poll());
            }
        }
        decide();
    }

    /** Done when the address is free again; at once if the caller is the loop itself. */
    CompletableFuture<Void> close() {
        var done = new CompletableFuture<Void>();
        if (loop.isCurrent()) {
            closeNow();
            done.complete(null);
            return done;
        }
        try {
            loop.execute(
                    () -> {
                        closeNow();
                        // a selector gives a channel back with its next selection
                        loop.execute(() -> done.complete(null));
                    });
        } catch (RejectedExecutionException e) {
            done.complete(null); // the loop has ended, and closed it
        }
        return done;
    }

    void closeNow() {
        if (!closed) {
            closed = true;
            loop.poller().unlisten(this);
        }
    }

    private void start(Connection connection) {
        active++;
        connection.noDeadline();
        connection.start(admits(connection) ? listener.acceptor : Gate::refuse);
    }

    private boolean admits(Connection connection) {
        Admission admission = listener.options.admission.get();
        if (admission == Admission.ALL) {
            return true;
        }
        if (!admission.admit(connection.remote())) {
            return false;
        }
        if (admitted == null) {
            admitted = new IdentityHashMap<>();
        }
        admitted.put(connection, admission);
        return true;
    }

    private static Protocol refuse(Connection connection) {
        connection.abort();
        return (refused, bytes, from, to) -> to;
    }

    private void decide() {
        if (closed) {
            return;
        }
        boolean was = full;
        full = room() <= 0;
        if (was && !full && source != this) {
            try {
                source.loop.execute(source::decide);
            } catch (RejectedExecutionException e) {
                return; // that loop has ended
            }
        }
        if (pausing) {
            return;
        }
        long pause = (listener.options.accepts.pause(loop.nanos()) + 999_999) / 1_000_000;
        if (pause > 0 && paced()) {
            pause(pause);
        } else {
            accept(!next().full);
        }
    }

    private void pause(long millis) {
        accept(false);
        pausing = true;
        loop.after(
                millis,
                () -> {
                    pausing = false;
                    decide();
                });
    }

    private void accept(boolean on) {
        if (accepting != on && !closed) {
            accepting = on;
            loop.poller().accepting(this, on);
        }
    }
}
