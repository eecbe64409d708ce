// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.log.LazyLogger;
import io.sirocco.net.log.LinkedErrors;
import io.sirocco.net.transport.ListeningSocket;
import io.sirocco.net.transport.Transport;
import io.sirocco.net.transport.TransportAcceptor;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One loop's share of a {@link Listener}: admits connections as long as there are {@link Slots},
 * parks or stops accepting when there are none, keeps the pace, and backs off when the system is
 * out of descriptors or memory, so that the listener neither dies nor spins.
 *
 * <pre>
 *   accepted ──▶ a slot of this loop ──▶ started
 *          ├───▶ none, but another loop has one ──▶ handed over, and started there
 *          ├───▶ none at all, but a place to park ──▶ parked, here or there, until a slot is free
 *          └───▶ neither: several loops accepted for the last one ──▶ kept here until a slot is free
 * </pre>
 *
 * With {@link WhenFull#REPLACE}, a connection that is kept takes the slot of one that waits for its
 * peer.
 *
 * <p>Loop-confined, where nothing else is said.
 */
final class LoopAcceptor extends TransportAcceptor {
    static {
        LinkedErrors.link(Throwable.class);
    }

    private static final LazyLogger LOG = LazyLogger.of(LoopAcceptor.class);
    private static final long BACK_OFF = 100;
    private static final long LONGEST_BACK_OFF = 1_000;

    /** More connections than can have come since the last turn. */
    private static final int MANY = 8_192;

    private final ListeningSocket socket;
    private final Listener listener;
    private final ArrayDeque<Connection> parked = new ArrayDeque<>();
    private final ArrayDeque<Connection> kept = new ArrayDeque<>(); // without a place to park
    private final Placement[] places; // here, by their room

    /** The admissions of connections that had to ask; null while none had to. */
    private Map<Connection, Admitted> admitted;

    /** Those that have a slot, the oldest first; null unless new connections replace old ones. */
    private LinkedHashSet<Connection> replaceable;

    private boolean retrying; // a scheduled task will look for one to replace

    private record Admitted(Admission by, SocketAddress client) {}

    private List<LoopAcceptor> group =
            List.of(this); // of the listener, one for each loop, in their order
    private boolean spreads; // it is the only one that accepts
    private Slots slots; // null for no limit
    private Slots parking; // null for none
    private final AtomicBoolean waits = new AtomicBoolean(); // for something to be given back
    private int turn;
    private long backOff = BACK_OFF;
    private boolean accepting = true;
    private boolean pausing; // a scheduled task will decide again
    private boolean closed;

    /** Accepts nothing: another acceptor hands connections over. */
    static final ListeningSocket NO_SOCKET =
            new ListeningSocket() {
                @Override
                public SocketAddress address() {
                    throw new AssertionError("unbound");
                }

                @Override
                public void listen(TransportAcceptor acceptor) {}

                @Override
                public void accepting(boolean on) {}

                @Override
                public void close() {}
            };

    LoopAcceptor(Loop loop, Listener listener, ListeningSocket socket) {
        super(loop);
        this.listener = listener;
        this.socket = socket;
        this.places =
                Arrays.stream(Capacity.values())
                        .map(room -> new Placement(this, room))
                        .toArray(Placement[]::new);
    }

    /**
     * Makes {@code acceptors}, one for each loop in their order, those of one listener. Before any
     * of them listens.
     *
     * @param spread whether the first one accepts for all, since the address can be bound once only
     */
    static void group(List<LoopAcceptor> acceptors, Listener.Options options, boolean spread) {
        boolean limited = options.slots != Integer.MAX_VALUE;
        int arrivals = acceptors.getFirst().transport().arrivals();
        Slots slots = limited ? new Slots(acceptors.size(), options.slots, arrivals) : null;
        boolean parks = limited && options.whenFull == WhenFull.PARK;
        Slots parking = parks ? new Slots(acceptors.size(), options.parked, arrivals) : null;
        for (LoopAcceptor acceptor : acceptors) {
            acceptor.group = acceptors;
            acceptor.slots = slots;
            acceptor.parking = parking;
            if (limited && options.whenFull == WhenFull.REPLACE) {
                acceptor.replaceable = new LinkedHashSet<>();
            }
        }
        acceptors.getFirst().spreads = spread;
    }

    @Override
    public Placement place() {
        if (paced()) {
            listener.options.acceptRate.spend(1, loop.nanos());
        }
        Placement place = choose();
        if (slots != null || place.acceptor() != this) {
            decide();
        }
        return place;
    }

    private Placement choose() {
        if (slots == null) {
            if (!spreads) {
                return places[Capacity.SLOT.ordinal()];
            }
            turn = (turn + 1) % group.size();
            return group.get((turn + group.size() - 1) % group.size()).place(Capacity.SLOT);
        }
        int slot = spreads ? slots.takeFrom(turn, loop.index()) : slots.takeNear(loop.index());
        if (slot >= 0) {
            turn = (slot + 1) % group.size();
            return group.get(slot).place(Capacity.SLOT);
        }
        int parked = parking == null ? -1 : parking.takeNear(loop.index());
        return parked >= 0
                ? group.get(parked).place(Capacity.PARKING)
                : places[Capacity.NONE.ordinal()];
    }

    @Override
    public Placement place(Capacity room) {
        return places[room.ordinal()];
    }

    @Override
    protected void arrived(Capacity room) {
        Slots its = room == Capacity.SLOT ? slots : parking;
        if (its != null && its.arrived(loop.index())) {
            wakeWaiting();
        }
    }

    @Override
    protected void lost(Capacity room) {
        if (room != Capacity.NONE) {
            give(room == Capacity.SLOT ? slots : parking);
        }
    }

    /** Gives back a slot or place. Any thread. */
    private void give(Slots back) {
        if (back != null) {
            back.give(loop.index());
            wakeWaiting();
        }
    }

    private void wakeWaiting() {
        for (LoopAcceptor acceptor : group) {
            if (acceptor.waits.get() && acceptor.waits.getAndSet(false)) {
                try {
                    acceptor.loop().execute(acceptor::decide);
                } catch (RejectedExecutionException e) {
                    // that loop has ended
                }
            }
        }
    }

    @Override
    public SocketAddress local(Connection connection) {
        return listener.address();
    }

    @Override
    public boolean oneAtATime() {
        return paced() || room() < MANY;
    }

    private boolean paced() {
        return listener.options.acceptRate.rate() != RateLimiter.UNLIMITED;
    }

    /** Returns how many more connections this loop has room for. */
    private long room() {
        if (slots == null) {
            return Long.MAX_VALUE;
        }
        int index = loop.index();
        return (long) slots.left(index) + (parking == null ? 0 : parking.left(index));
    }

    @Override
    public boolean accepting() {
        return accepting && !closed;
    }

    @Override
    protected void accepted(Connection connection, Capacity room) {
        backOff = BACK_OFF;
        loop.accepted(connection);
        try {
            begin(connection, room);
        } catch (Throwable e) { // out of heap, above all: it is the end of this connection alone
            if (room == Capacity.SLOT) {
                connection.failToStart(e);
            } else {
                connection.fail(e);
            }
        }
        if (room != Capacity.SLOT && loop.isFull()) {
            loop.connectionsRefused++;
            connection.abort();
        }
        decide();
    }

    private void begin(Connection connection, Capacity room) {
        switch (room) {
            case SLOT -> start(connection);
            case PARKING -> {
                parked.add(connection);
                loop.parked++;
                connection.deadline(loop.now() + listener.options.parkedMillis);
            }
            case NONE -> kept.add(connection);
        }
    }

    @Override
    public void failed(String reason) {
        loop.acceptFailures++;
        Loop.warn(
                LOG,
                loop + " cannot accept: " + reason + "; trying again in " + backOff + " ms",
                null);
        try {
            loop.settings.observer.acceptFailed(loop, reason);
        } catch (Throwable e) {
            Loop.observerThrew(e);
        }
        pause(backOff);
        backOff = Math.min(backOff * 2, LONGEST_BACK_OFF);
    }

    @Override
    public void gone(Connection connection) {
        if (!connection.parked()) {
            if (replaceable != null) {
                replaceable.remove(connection);
            }
            Admitted known = admitted == null ? null : admitted.remove(connection);
            if (known != null) {
                known.by.gone(known.client);
            }
            Connection next = slots == null ? null : nextWaiting();
            if (next != null) {
                start(next);
            } else {
                give(slots);
            }
        } else if (parked.remove(connection)) {
            loop.parked--;
            give(parking);
        } else {
            kept.remove(connection);
        }
        decide();
    }

    /**
     * Closes it; the future completes when the address is free again, at once if the caller is the
     * loop itself. A loop that is dead may never do it, so nobody waits for that.
     */
    CompletableFuture<?> close() {
        var done = new CompletableFuture<Void>();
        if (loop.isOwnThread()) {
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
        if (loop.hasFailed()) {
            done.complete(null);
        }
        // unlike a dependent stage, it leaves nothing at the future of a loop that lives on
        return CompletableFuture.anyOf(done, loop.death.notified());
    }

    @Override
    public void closeNow() {
        if (!closed) {
            closed = true;
            socket.close();
        }
    }

    @Override
    public Transport transport() {
        return loop.ownTransport();
    }

    /** Begins to accept. */
    void listen() throws IOException {
        socket.listen(this);
    }

    private void start(Connection connection) {
        connection.clearDeadline();
        if (replaceable != null) {
            replaceable.add(connection);
        }
        if (loop.isFull()) {
            loop.connectionsRefused++;
            connection.start(LoopAcceptor::tooMany);
        } else if (listener.options.proxies != null) {
            connection.start(this::preface);
        } else {
            connection.start(admits(connection) ? listener.acceptor : LoopAcceptor::refuse);
        }
    }

    /** Returns the protocol that reads the PROXY header. */
    private Protocol preface(Connection connection) {
        if (!listener.options.proxies.test(connection.peer())) {
            ProxyHeaderProtocol.refuse(connection, "not a trusted proxy");
            return (refused, bytes, from, to) -> to;
        }
        connection.deadline(loop.now() + listener.options.proxyHeaderMillis);
        return new ProxyHeaderProtocol(this);
    }

    /** Starts a connection whose client the proxy has named. */
    void introduced(Connection connection) {
        connection.clearDeadline();
        connection.startNextProtocol(admits(connection) ? listener.acceptor : LoopAcceptor::refuse);
    }

    private boolean admits(Connection connection) {
        Admission admission = listener.options.admission.get();
        if (admission == Admission.ALL) {
            return true;
        }
        SocketAddress client = connection.remote();
        if (!admission.admit(client)) {
            return false;
        }
        if (admitted == null) {
            admitted = new IdentityHashMap<>();
        }
        admitted.put(connection, new Admitted(admission, client));
        return true;
    }

    private static Protocol tooMany(Connection connection) {
        connection.close(CloseCause.TOO_MANY);
        return (refused, bytes, from, to) -> to;
    }

    private static Protocol refuse(Connection connection) {
        connection.abort();
        return (refused, bytes, from, to) -> to;
    }

    private void decide() {
        serveWaiting();
        if (closed || pausing) {
            return;
        }
        long pause = (listener.options.acceptRate.pause(loop.nanos()) + 999_999) / 1_000_000;
        if (pause > 0 && paced()) {
            pause(pause);
        } else {
            if (replaceable != null && !kept.isEmpty()) {
                replaceOne();
            }
            accept(kept.isEmpty() && (replaceable != null || anyRoom()));
        }
    }

    /**
     * Closes a connection that waits for its peer, one at a time; its end brings its slot. One
     * whose output has not left yet is the second choice.
     */
    private void replaceOne() {
        for (Connection each : replaceable) {
            if (each.isClosed()) {
                return;
            }
        }
        if (replaceOne(true) || replaceOne(false) || retrying) {
            return;
        }
        retrying = true;
        loop.schedule(
                BACK_OFF,
                () -> {
                    retrying = false;
                    decide();
                });
    }

    private boolean replaceOne(boolean onlySent) {
        for (Connection each : replaceable) {
            boolean chosen = !onlySent || each.unsent() == 0;
            if (chosen && each.protocol() != null && each.protocol().replaced(each)) {
                loop.connectionsRefused++;
                return true;
            }
        }
        return false;
    }

    /** Starts connections that wait here, on this loop or another, as long as there are slots. */
    private void serveWaiting() {
        while (!parked.isEmpty() || !kept.isEmpty()) {
            int slot = slots.takeNear(loop.index());
            if (slot < 0) {
                if (waits.getAndSet(true)) {
                    return;
                }
                continue; // one may have been given back before that could be seen
            }
            Connection connection = nextWaiting();
            if (connection == null) {
                if (slot != loop.index()) {
                    group.get(slot).arrived(Capacity.SLOT);
                }
                group.get(slot).lost(Capacity.SLOT);
            } else if (slot == loop.index()) {
                start(connection);
            } else {
                loop.handedOver(connection);
                connection.handOver(group.get(slot));
            }
        }
    }

    /** Returns the first connection that waits and is still open; null for none. */
    private Connection nextWaiting() {
        while (!parked.isEmpty() || !kept.isEmpty()) {
            Connection connection;
            if (parked.isEmpty()) {
                connection = kept.poll();
            } else {
                connection = parked.poll();
                loop.parked--;
                give(parking);
            }
            if (connection.isOpen()) {
                return connection;
            }
        }
        return null;
    }

    /**
     * Returns whether any loop has room for one more; if not, this acceptor is woken when one has.
     */
    private boolean anyRoom() {
        return slots == null || hasRoom() || !waits.getAndSet(true) && hasRoom();
    }

    private boolean hasRoom() {
        int index = loop.index();
        return slots.anyLeft(index) || parking != null && parking.anyLeft(index);
    }

    private void pause(long millis) {
        accept(false);
        pausing = true;
        loop.schedule(
                millis,
                () -> {
                    pausing = false;
                    decide();
                });
    }

    private void accept(boolean on) {
        if (accepting != on && !closed) {
            accepting = on;
            socket.accepting(on);
        }
    }
}
