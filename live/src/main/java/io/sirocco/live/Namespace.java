// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.live.broker.Address;
import io.sirocco.live.broker.Member;
import io.sirocco.live.broker.Position;
import io.sirocco.live.broker.Publication;
import io.sirocco.live.broker.Publication.Bounds;
import io.sirocco.live.broker.Replay;
import io.sirocco.live.wire.Json;
import io.sirocco.live.wire.Packet;
import io.sirocco.live.wire.WireException;
import io.sirocco.net.TaskKind;
import io.sirocco.net.log.LazyLogger;
import java.lang.System.Logger.Level;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A part of a service with clients, rooms, listeners and authentication of its own; {@link Live} is
 * the one that is called {@code /}. Listeners may be added at any time, and count from then on. Any
 * thread.
 */
public sealed class Namespace permits Live {
    private static final LazyLogger LOG = LazyLogger.of(Namespace.class);
    private static final int MAX_UNHEARD = 100;
    private static final int LONGEST_UNHEARD = 200;

    private final String name;
    final Hub hub;
    final Listeners listeners = new Listeners();

    /** What the loops know the program's code by. */
    final TaskKind admitting = TaskKind.of("live authentication");

    final TaskKind connecting = TaskKind.of("live onConnect");
    final TaskKind closing = TaskKind.of("live onClose");
    final List<Listener<Void>> connects = new CopyOnWriteArrayList<>();
    final List<Listener<Reason>> closes = new CopyOnWriteArrayList<>();
    private final List<ErrorListener> errors = new CopyOnWriteArrayList<>();
    private final Map<String, Client> clients = new ConcurrentHashMap<>();
    private final Map<String, Client> recoverable = new ConcurrentHashMap<>(); // by their pid
    private final Map<String, Occupied> rooms = new ConcurrentHashMap<>();
    private final Map<Tag, Set<Client>> tagged = new ConcurrentHashMap<>();
    final Watchers watchers = new Watchers();
    private final Set<String> unheard = ConcurrentHashMap.newKeySet();
    private final AtomicLong misfits = new AtomicLong(); // that nobody was told of
    private volatile Optional<List<Authenticator>> authenticators = Optional.empty();

    private record Tag(String name, String value) {}

    Namespace(String name, Hub hub) {
        this.name = name;
        this.hub = hub;
    }

    /** Its name, which begins with a slash. */
    public String name() {
        return name;
    }

    /** Has {@code listener} called for each client that has come, before any message of it. */
    public Namespace onConnect(Consumer<Client> listener) {
        connects.add((client, nothing) -> listener.accept(client));
        return this;
    }

    /** Has {@code listener} called once for each client that is gone. */
    public Namespace onClose(Listener<Reason> listener) {
        closes.add(listener);
        return this;
    }

    /**
     * Has {@code listener} told of what others have thrown. So is the log; but of what a handler
     * has refused, and of arguments that did not fit, only where nobody listens, and not each time.
     */
    public Namespace onError(ErrorListener listener) {
        errors.add(listener);
        return this;
    }

    /** Has {@code listener} called with the arguments of an event. */
    public Namespace on(String event, Listener<Arguments> listener) {
        return on(event, Priority.NORMAL, listener);
    }

    /** The same before others, or after them. */
    public Namespace on(String event, Priority priority, Listener<Arguments> listener) {
        listeners.on(event, priority, null, listener);
        return this;
    }

    /** Has {@code listener} called with the first argument of an event. */
    public <T> Namespace on(String event, Class<T> type, Listener<T> listener) {
        return on(event, Priority.NORMAL, type, listener);
    }

    /** The same before others, or after them. */
    public <T> Namespace on(String event, Priority priority, Class<T> type, Listener<T> listener) {
        listeners.on(event, priority, type, listener);
        return this;
    }

    /** Forgets all listeners of an event, and who answers a request of that name. */
    public Namespace off(String event) {
        listeners.off(event);
        return this;
    }

    /** Forgets a listener of an event, the very one that was given to {@code on}. */
    public Namespace off(String event, Listener<?> listener) {
        listeners.off(event, listener);
        return this;
    }

    /**
     * Has {@code answerer} answer a request.
     *
     * @throws IllegalStateException when somebody does already
     */
    public Namespace onRequest(String event, Answerer<Arguments> answerer) {
        listeners.onRequest(event, null, answerer);
        return this;
    }

    /** The same with the first argument. */
    public <T> Namespace onRequest(String event, Class<T> type, Answerer<T> answerer) {
        listeners.onRequest(event, type, answerer);
        return this;
    }

    /** Decides who comes in from now on; as in {@code /} unless this is called. */
    public Namespace authenticate(Consumer<Authentication> configure) {
        var next = new Authentication();
        configure.accept(next);
        authenticate(next);
        return this;
    }

    void authenticate(Authentication next) {
        authenticators = Optional.of(hub.authenticators(next));
    }

    Optional<List<Authenticator>> authenticators() {
        return authenticators;
    }

    /** The clients of this node. */
    public Collection<Client> clients() {
        return List.copyOf(clients.values());
    }

    /** How many clients of this node are in which room. */
    public Map<String, Integer> rooms() {
        var members = new HashMap<String, Integer>();
        rooms.forEach((name, known) -> members.put(name, known.members));
        return Map.copyOf(members);
    }

    /** A client of this node. */
    public Optional<Client> client(String id) {
        return Optional.ofNullable(clients.get(id));
    }

    /** The clients of this node to whom a handler has put this tag. */
    public Collection<Client> tagged(String tag, String value) {
        return List.copyOf(tagged.getOrDefault(new Tag(tag, value), Set.of()));
    }

    /**
     * Returns a room, which need not exist yet. A room named like the id of a client has nothing to
     * do with that client: see {@link #direct}.
     *
     * @throws RequestException with the code {@code bad_arguments} when the name contains U+0000 or
     *     half a surrogate pair
     */
    public Room room(String name) {
        return new Room(this, Set.of(Room.named(name)), Set.of());
    }

    /**
     * Returns the client with this id, on whatever node it is, as the receiver of messages. Where
     * clients choose receivers, the program decides whom they may choose.
     */
    public Room direct(String clientId) {
        return new Room(this, Set.of(Address.client(clientId)), Set.of());
    }

    /** Sends an event to all clients, on all nodes; ends as {@link Room#send} does. */
    public CompletionStage<Position> broadcast(String event, Object... arguments) {
        return publish(Set.of(), Set.of(), event, arguments);
    }

    /**
     * Who is in a room.
     *
     * @throws IllegalArgumentException when it has no presence
     */
    public Presence presence(String room) {
        if (!hub.hasPresence(room)) {
            throw new IllegalArgumentException(
                    "The room " + room + " has no presence: it must be asked for.");
        }
        return new Presence(this, room);
    }

    // ---- for the package

    CompletionStage<Position> publish(
            Set<String> rooms, Set<String> except, String event, Object... arguments) {
        Live.mustNotBeOurs(event);
        Json.Encoded encoded = hub.json.event(event, Arguments.spread(arguments));
        String packet =
                Packet.event(name, Packet.NO_ID, encoded.attachments().size(), encoded.data())
                        .toString();
        List<Bounds> histories = rooms.isEmpty() ? List.of() : hub.histories(rooms);
        return hub.publish(
                new Publication(
                        name,
                        rooms,
                        except,
                        packet,
                        encoded.attachments(),
                        hub.recovers(),
                        histories));
    }

    History history(String room, Optional<Position> after, int most) {
        return history(hub.broker.history(withHistory(room), after, most));
    }

    History page(String room, Optional<Position> before, int most, int bytes) {
        return history(hub.broker.page(withHistory(room), before, most, bytes));
    }

    private io.sirocco.live.broker.Room withHistory(String room) {
        if (hub.histories(Set.of(room)).isEmpty()) {
            throw new IllegalStateException("The room " + room + " keeps no history.");
        }
        return new io.sirocco.live.broker.Room(name, room);
    }

    private History history(CompletionStage<Replay> asked) {
        Replay replay = Hub.await(asked);
        List<Message> messages = replay.messages().stream().map(this::message).toList();
        return new History(messages, replay.gap(), replay.end());
    }

    private Message message(Replay.Message kept) {
        Publication publication = kept.publication();
        try {
            Packet packet = Packet.parse(publication.event());
            var array = hub.json.parse(packet.data(), publication.attachments());
            return new Message(
                    kept.position(),
                    array.get(0).stringValue(),
                    new Arguments(hub.json.mapper(), array, 1));
        } catch (WireException e) {
            throw new IllegalStateException("a history has what nobody sends", e);
        }
    }

    List<Member> members(String room) {
        return Hub.await(hub.broker.members(new io.sirocco.live.broker.Room(name, room)));
    }

    /**
     * The client that may come back with this pid. An index: when a node is drained, this is asked
     * for each of its clients, between two messages.
     */
    Optional<Client> withPid(String pid) {
        return Optional.ofNullable(recoverable.get(pid));
    }

    /**
     * Returns the client with this pid or, when there is none or it ends, a new one: the same for
     * all that come back as it at the same time. Any thread.
     */
    Client returning(String pid, Supplier<Client> anew) {
        return recoverable.compute(
                pid, (key, known) -> known == null || known.life.isEnding() ? anew.get() : known);
    }

    void add(Client client) {
        clients.put(client.id(), client);
        if (client.recovers()) {
            recoverable.put(client.pid(), client);
        }
    }

    void remove(Client client) {
        clients.remove(client.id(), client);
        if (client.recovers()) {
            recoverable.remove(client.pid(), client);
        }
    }

    int size() {
        return clients.size();
    }

    int roomCount() {
        return rooms.size();
    }

    void entered(String room) {
        rooms.compute(
                room,
                (name, known) ->
                        known == null
                                ? new Occupied(name, 1)
                                : new Occupied(known.name, known.members + 1));
    }

    void left(String room) {
        rooms.computeIfPresent(
                room,
                (name, known) ->
                        known.members == 1 ? null : new Occupied(known.name, known.members - 1));
    }

    /** Returns the string that all members of the room share as its name. */
    String shared(String room) {
        Occupied known = rooms.get(room);
        return known == null ? room : known.name;
    }

    /** A room that somebody is in. */
    private record Occupied(String name, int members) {}

    void tag(Client client, String tag, String value) {
        tagged.computeIfAbsent(new Tag(tag, value), each -> ConcurrentHashMap.newKeySet())
                .add(client);
    }

    void untag(Client client, String tag, String value) {
        tagged.computeIfPresent(
                new Tag(tag, value),
                (each, all) -> {
                    all.remove(client);
                    return all.isEmpty() ? null : all;
                });
    }

    void failed(Client client, String event, Throwable thrown) {
        if (!(thrown instanceof RequestException)) {
            hub.failures.log(event, "a handler of " + event + " failed", thrown);
        } else if (errors.isEmpty()) {
            misfit(event, thrown.getMessage());
        }
        for (ErrorListener listener : errors) {
            try {
                listener.on(client, event, thrown);
            } catch (Throwable e) {
                hub.failures.log("an error listener", "an error listener threw", e);
            }
        }
    }

    /**
     * A client has sent an event that nobody listens to and that wants no answer: a name that is
     * misspelt is hard to find else. Logged once for each name, of which strangers choose as many
     * as they like: the first hundred are.
     */
    void unheard(String event) {
        if (unheard.size() >= MAX_UNHEARD || unheard.contains(event)) {
            return;
        }
        boolean fits = event.length() <= LONGEST_UNHEARD;
        if (!fits || !unheard.add(event)) {
            return;
        }
        String more = unheard.size() >= MAX_UNHEARD ? "; further names are not logged" : "";
        LOG.get()
                .log(
                        Level.WARNING,
                        "nobody listens to the event {0} in the namespace {1}{2}",
                        hub.json.text(event), // with its control characters escaped
                        name,
                        more);
    }

    /** Whoever sends it may not fill the log: the first is said, the second, the fourth... */
    private void misfit(String event, String why) {
        long count = misfits.incrementAndGet();
        if (Long.bitCount(count) == 1) {
            LOG.get()
                    .log(
                            Level.WARNING,
                            "{0} events were refused so far, as this {1}: {2}",
                            count,
                            event,
                            why);
        }
    }

    @Override
    public String toString() {
        return "namespace " + name;
    }
}
