// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.live.broker.Address;
import io.sirocco.live.broker.Publication;
import io.sirocco.live.engine.Home;
import io.sirocco.net.Loop;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The clients of one loop, and the rooms that they are in. What concerns them goes through one
 * queue, so that a message is for whoever was in the room when it was sent. Where messages come
 * faster than they are handed out, the queue is bounded: those beyond are a gap. Loop-confined, but
 * for {@link #execute}, {@link #executeLater}, {@link #tell} and {@link #awaitRoom}.
 */
final class Shard implements Home {

    private static final int LONGEST_RUN = 64;

    /** Clients that are handed a message in one turn: it goes to more of them in pieces. */
    static final int PIECE = 512;

    final Loop loop;
    final Tally tally = new Tally();
    private final Backlog backlog;
    private final Missed missed = new Missed();
    private final Map<Namespace, Local> namespaces = new IdentityHashMap<>(2);
    private final List<Delivery> run = new ArrayList<>(); // used by one method
    private final Map<Client, Held> expected = new HashMap<>(0); // who moves here
    private final AtomicInteger handlers = new AtomicInteger();

    /** Those of one namespace. */
    private static final class Local {
        final ClientSet all = new ClientSet();
        final Map<String, ClientSet> rooms = new HashMap<>();
    }

    /** A message to rooms, which waits. */
    private record Mail(Shard shard, Namespace namespace, Delivery delivery, long size)
            implements Runnable {

        @Override
        public void run() {
            shard.deliverRun(this);
        }

        /** Whether it is for the same clients, if it comes next. */
        boolean isLike(Mail other) {
            Publication mine = delivery.publication;
            Publication theirs = other.delivery.publication;
            return namespace == other.namespace
                    && mine.rooms().equals(theirs.rooms())
                    && mine.except().equals(theirs.except());
        }
    }

    Shard(Loop loop, Backlog backlog) {
        this.loop = loop;
        this.backlog = backlog;
    }

    @Override
    public Loop loop() {
        return loop;
    }

    /** Has {@code task} run here, behind all that came before: at once where we are. Any thread. */
    void execute(Runnable task) {
        backlog.execute(task);
    }

    /** The same, never at once. Any thread. */
    void executeLater(Runnable task) {
        backlog.executeLater(task);
    }

    /** Does what waits, if this is where we are. Any thread. */
    void drainHere() {
        backlog.drainHere();
    }

    /** Null while there is room for more messages; else it ends when there is. Any thread. */
    CompletableFuture<Void> awaitRoom() {
        return backlog.awaitRoom();
    }

    /** Bytes of messages that wait to be handed out here. Any thread. */
    long bytesWaiting() {
        return backlog.bytes();
    }

    /** The server stops: what waits is told without delay. Any thread. */
    void hurry() {
        backlog.hurry();
    }

    /**
     * Has a message told here, later. When there is no room for it, those whom it is for are told
     * of a gap instead. Any thread.
     */
    void tell(Namespace namespace, Set<String> rooms, long size, Runnable message) {
        if (reserve(namespace, rooms, size)) {
            backlog.executeLater(
                    () -> {
                        release(size);
                        message.run();
                    });
        }
    }

    /** The same with one for whoever is in its rooms then. Any thread. */
    void tell(Namespace namespace, Delivery delivery, long size) {
        if (reserve(namespace, delivery.publication.rooms(), size)) {
            backlog.executeLater(new Mail(this, namespace, delivery, size));
        }
    }

    /** The same for who hands it over otherwise, and then {@link #release}s it. Any thread. */
    boolean reserve(Namespace namespace, Set<String> rooms, long size) {
        if (backlog.reserve(size)) {
            return true;
        }
        if (missed.add(namespace, rooms)) {
            backlog.executeLater(this::tellMissed);
        }
        return false;
    }

    /** It does not wait any more. Any thread. */
    void release(long size) {
        backlog.release(size);
    }

    private void tellMissed() {
        var dropped = new HashMap<Client, Long>();
        missed.take(
                (whom, count) -> {
                    for (Client client : audience(whom)) {
                        dropped.merge(client, count, Long::sum);
                    }
                });
        dropped.forEach(
                (client, count) -> {
                    tally.dropped.add(count);
                    client.gap(Map.of("dropped", count));
                });
    }

    /** Threads of handlers that run. Any thread. */
    int handlers() {
        return handlers.get();
    }

    /** One more runs, or one fewer. Any thread. */
    void handlers(int more) {
        handlers.addAndGet(more);
    }

    void add(Client client) {
        Local local = namespaces.computeIfAbsent(client.namespace(), each -> new Local());
        local.all.add(client);
        client.rooms().forEach(room -> join(client, room));
    }

    void remove(Client client) {
        Local local = namespaces.get(client.namespace());
        if (local != null && local.all.remove(client)) {
            expected.remove(client);
            client.rooms().forEach(room -> leave(client, room));
        }
    }

    /** It moves away: it was in these rooms when that began, and may be in others by now. */
    void clear(Client client, Set<String> rooms) {
        rooms.forEach(room -> leave(client, room));
        remove(client);
    }

    /** It moves here: until {@link #settle} what comes for it is held. */
    void expect(Client client, Held held) {
        expected.put(client, held);
        add(client);
    }

    /** It is here; answers what has come for it, or null. */
    Held settle(Client client) {
        return expected.remove(client);
    }

    void join(Client client, String room) {
        Local local = namespaces.get(client.namespace());
        if (local != null && local.all.contains(client)) {
            if (local.rooms.computeIfAbsent(room, name -> new ClientSet()).add(client)) {
                client.namespace().entered(room);
            }
        }
    }

    void leave(Client client, String room) {
        Local local = namespaces.get(client.namespace());
        Set<Client> members = local == null ? null : local.rooms.get(room);
        if (members != null && members.remove(client)) {
            client.namespace().left(room);
            if (members.isEmpty()) {
                local.rooms.remove(room);
            }
        }
    }

    /** All clients here. */
    List<Client> all() {
        return namespaces.values().stream().flatMap(local -> local.all.stream()).toList();
    }

    /** Client by client, with those behind it that are for the same: each is looked at once. */
    private void deliverRun(Mail first) {
        run.clear();
        Mail next = first;
        while (next != null) {
            release(next.size);
            run.add(next.delivery);
            next =
                    run.size() == LONGEST_RUN
                            ? null
                            : (Mail)
                                    backlog.takeNext(
                                            other -> other instanceof Mail m && first.isLike(m));
        }
        try {
            deliver(first.namespace, run);
        } finally {
            run.clear();
        }
    }

    /** These, which are for the same. */
    private void deliver(Namespace namespace, List<Delivery> all) {
        Local local = namespaces.get(namespace);
        if (local == null) {
            return;
        }
        Publication what = all.getFirst().publication;
        Set<String> except = what.except();
        Set<Client> receivers = audience(namespace, local, what.rooms());
        if (receivers.size() > PIECE) {
            backlog.inPieces(new Broadcast(List.copyOf(all), except, receivers)::piece);
            return;
        }
        for (Client client : receivers) {
            deliver(client, all, except);
        }
        backlog.delivered(receivers.size());
    }

    private void deliver(Client client, List<Delivery> all, Set<String> except) {
        if (except.isEmpty() || !except.contains(client.id())) {
            deliver(client, all);
        }
    }

    /**
     * Messages on their way to more clients than one turn serves: the members of the room when the
     * broadcast began. A client that has left since then receives nothing.
     */
    private final class Broadcast {
        private final List<Delivery> messages;
        private final Set<String> except;
        private final Client[] receivers;
        private int next;

        Broadcast(List<Delivery> messages, Set<String> except, Set<Client> receivers) {
            this.messages = messages;
            this.except = except;
            this.receivers = receivers.toArray(Client[]::new);
        }

        /** Hands them to some more; returns whether any are left. */
        boolean piece() {
            int end = Math.min(receivers.length, next + Math.max(1, PIECE / messages.size()));
            backlog.delivered(end - next);
            while (next < end) {
                deliver(receivers[next++], messages, except);
            }
            return next < receivers.length;
        }
    }

    /** Where that fails for one client, it is told of a gap, and the others get theirs. */
    private void deliver(Client client, List<Delivery> all) {
        try {
            for (int i = 0; i < all.size(); i++) {
                deliver(client, all.get(i));
            }
        } catch (Throwable e) {
            Tasks.failed("a message could not be handed to " + client, e);
            Tasks.run(() -> client.gapHere(Map.of("lost", true)), "a gap could not be told");
        }
    }

    /** To this one alone, if it is here. */
    void deliverTo(Client client, Delivery delivery) {
        Local local = namespaces.get(client.namespace());
        if (local != null && local.all.contains(client)) {
            deliver(client, delivery);
        }
    }

    private void deliver(Client client, Delivery delivery) {
        Held held = expected.isEmpty() ? null : expected.get(client);
        if (held != null) {
            held.add(delivery);
        } else {
            client.life.deliver(delivery);
        }
    }

    private Set<Client> audience(Missed.Whom whom) {
        Local local = namespaces.get(whom.namespace());
        if (local == null) {
            return Set.of();
        }
        if (whom.isAll()) {
            return local.all;
        }
        return audience(whom.namespace(), local, whom.room());
    }

    private static Set<Client> audience(Namespace namespace, Local local, Set<String> rooms) {
        if (rooms.isEmpty()) {
            return local.all;
        }
        if (rooms.size() == 1) {
            return audience(namespace, local, rooms.iterator().next());
        }
        var all = new LinkedHashSet<Client>();
        for (String room : rooms) {
            all.addAll(audience(namespace, local, room));
        }
        return all;
    }

    /** A room, or the client whose address that is. */
    private static Set<Client> audience(Namespace namespace, Local local, String address) {
        if (Address.isClient(address)) {
            return namespace
                    .client(Address.id(address))
                    .filter(local.all::contains)
                    .map(Set::of)
                    .orElse(Set.of());
        }
        Set<Client> members = local.rooms.get(address);
        return members == null ? Set.of() : members;
    }
}
