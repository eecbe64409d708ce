// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.live.broker.Member;
import io.sirocco.live.broker.Position;
import io.sirocco.live.broker.Replay;
import io.sirocco.live.broker.Session;
import io.sirocco.live.engine.Engine;
import io.sirocco.live.engine.Parcel;
import io.sirocco.live.engine.Peer;
import io.sirocco.live.wire.Json;
import io.sirocco.live.wire.Packet;
import io.sirocco.live.wire.Received;
import io.sirocco.live.wire.WireException;
import io.sirocco.net.Alarm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import tools.jackson.databind.JsonNode;

/**
 * Somebody who is connected, or was a moment ago and may come back.
 *
 * <pre>
 *   NEW ──▶ HERE ── lost ──▶ AWAY ──▶ RETURNS ──▶ HERE        only where clients recover
 *             └── any other end, or the time is over ──▶ GONE
 * </pre>
 *
 * <p>Any thread may call what is public; the rest is confined to the loop of its {@link Shard},
 * unless it says otherwise.
 */
public final class Client {
    private static final int MOST_TAGS = 32;
    private static final int MOST_HELD = 10_000;
    private static final int MOST_ASKED = 1_000;

    private enum State {
        NEW,
        HERE,
        AWAY,
        RETURNS,
        GONE
    }

    private final Namespace namespace;
    private final String id;
    private final String pid; // null for one that does not recover
    private final String user;
    private final Map<String, String> given;
    private final Inbox inbox = new Inbox();
    private volatile Set<String> rooms = Set.of(); // written with the lock of this held,
    private volatile Map<String, String> tags = Map.of(); // as are these
    private volatile Peer peer;
    private volatile Link link; // null while it is away, and when it is gone
    private volatile Shard shard;
    private volatile State state = State.NEW; // written on the loop
    private boolean watched;
    private Meter meter;
    private Alarm expiry; // while it is away
    private List<Delivery> held; // while it returns
    private Map<Long, CompletableFuture<Arguments>> asked; // with the lock of this held
    private long lastAsked;

    private Client(
            Namespace namespace, String id, String pid, String user, Map<String, String> given) {
        this.namespace = namespace;
        this.id = id;
        this.pid = pid;
        this.user = user;
        this.given = given;
    }

    static Client fresh(
            Namespace namespace, String user, boolean recovers, Map<String, String> given) {
        String pid = recovers ? Engine.newId() : null;
        return new Client(namespace, Engine.newId(), pid, user, given);
    }

    static Client recovered(Namespace namespace, Session kept, Map<String, String> given) {
        var client = new Client(namespace, kept.client(), kept.pid(), kept.user(), given);
        client.rooms = Set.copyOf(kept.rooms());
        client.tags = Map.copyOf(kept.tags());
        client.tags.forEach((tag, value) -> namespace.tag(client, tag, value));
        return client;
    }

    /** What a client says of itself in its CONNECT. */
    static Map<String, String> tagsOf(JsonNode auth) {
        var tags = new HashMap<String, String>();
        for (Map.Entry<String, JsonNode> each : auth.path("tags").properties()) {
            if (each.getValue().isString() && tags.size() < MOST_TAGS) {
                tags.put(each.getKey(), each.getValue().stringValue());
            }
        }
        return tags.isEmpty() ? Map.of() : Map.copyOf(tags);
    }

    // ---- for programs

    /** A name that no other client has; it may be told to others. */
    public String id() {
        return id;
    }

    /** Where it is. */
    public Namespace namespace() {
        return namespace;
    }

    /** Who it was authenticated as. */
    public Optional<String> user() {
        return user.isEmpty() ? Optional.empty() : Optional.of(user);
    }

    /** What it has said of itself, and how it is connected, or was last. */
    public ClientInfo info() {
        Link now = link;
        Peer last = peer;
        String transport = now == null ? "" : now.session.transport();
        return new ClientInfo(last.address(), transport, last::header, given);
    }

    /** Whether it is connected at this moment. */
    public boolean isConnected() {
        return state == State.HERE;
    }

    /**
     * Sends it an event. Does nothing when it is gone.
     *
     * @param arguments what JSON can say, and bytes
     */
    public void send(String event, Object... arguments) {
        if (pid != null) {
            namespace
                    .publish(Set.of(id), Set.of(), event, arguments)
                    .whenComplete(
                            (position, thrown) -> {
                                if (thrown != null) {
                                    direct(event, arguments); // without an offset, then
                                }
                            });
        } else {
            direct(event, arguments);
        }
    }

    private void direct(String event, Object... arguments) {
        Parcel parcel = parcel(Packet.NO_ID, true, event, arguments);
        Shard here = shard;
        if (here.loop.inLoop()) {
            here.execute(() -> put(parcel));
        } else {
            here.tell(namespace, Set.of(id), parcel.size(), () -> put(parcel));
        }
    }

    private Parcel parcel(long ask, boolean droppable, String event, Object... arguments) {
        Json.Encoded encoded = namespace.hub.json.event(event, arguments);
        int attachments = encoded.attachments().size();
        Packet packet = Packet.event(namespace.name(), ask, attachments, encoded.data());
        return Parcel.message("4" + packet, encoded.attachments(), droppable);
    }

    /**
     * Asks it, and waits for its answer.
     *
     * @throws RequestException when there is none, or another than was wanted
     */
    public <T> T request(String event, Duration deadline, Class<T> type, Object... arguments) {
        var future = new CompletableFuture<Arguments>();
        long ask = ask(future);
        Parcel parcel = parcel(ask, false, event, arguments);
        shard.execute(() -> put(parcel));
        try {
            return future.get(deadline.toMillis(), TimeUnit.MILLISECONDS).answer(type);
        } catch (TimeoutException e) {
            throw RequestException.timeout(event + " was not answered within " + deadline);
        } catch (ExecutionException e) {
            throw RequestException.closed("the client has gone");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw RequestException.closed("interrupted");
        } finally {
            forget(ask);
        }
    }

    private synchronized long ask(CompletableFuture<Arguments> future) {
        if (state == State.GONE || state == State.AWAY) {
            throw RequestException.closed("the client has gone");
        }
        if (asked == null) {
            asked = new HashMap<>(4);
        }
        if (asked.size() >= MOST_ASKED) {
            throw RequestException.refused("limited", "the client was asked too much at once");
        }
        asked.put(++lastAsked, future);
        return lastAsked;
    }

    private synchronized CompletableFuture<Arguments> forget(long ask) {
        if (asked == null) {
            return null;
        }
        CompletableFuture<Arguments> future = asked.remove(ask);
        if (asked.isEmpty()) {
            asked = null;
        }
        return future;
    }

    /**
     * Puts it into a room.
     *
     * @throws IllegalStateException when it is in as many as it may be
     */
    public void join(String room) {
        synchronized (this) {
            if (rooms.contains(room)) {
                return;
            }
            if (rooms.size() >= namespace.hub.settings.rooms) {
                throw new IllegalStateException("A client may be in no more rooms.");
            }
            var more = new HashSet<>(rooms);
            more.add(room);
            rooms = Set.copyOf(more);
        }
        shard.execute(() -> shard.join(this, room));
        if (namespace.hub.hasPresence(room)) {
            namespace.hub.broker.join(place(room), member());
        }
        keep();
    }

    /** Takes it out of a room. */
    public void leave(String room) {
        synchronized (this) {
            if (!rooms.contains(room)) {
                return;
            }
            var fewer = new HashSet<>(rooms);
            fewer.remove(room);
            rooms = Set.copyOf(fewer);
        }
        shard.execute(() -> shard.leave(this, room));
        if (namespace.hub.hasPresence(room)) {
            namespace.hub.broker.leave(place(room), member());
        }
        keep();
    }

    private io.sirocco.live.broker.Room place(String room) {
        return new io.sirocco.live.broker.Room(namespace.name(), room);
    }

    private Member member() {
        return new Member(id, user, "");
    }

    /** The rooms that it is in. */
    public Set<String> rooms() {
        return rooms;
    }

    /** Who is in a room, but for this one. */
    public Room room(String name) {
        return namespace.room(name).except(id);
    }

    /** Puts a tag to it, by which {@link Namespace#tagged} finds it. */
    public void tag(String tag, String value) {
        synchronized (this) {
            var more = new HashMap<>(tags);
            String before = more.put(tag, value);
            tags = Map.copyOf(more);
            if (before != null) {
                namespace.untag(this, tag, before);
            }
            if (state != State.GONE) {
                namespace.tag(this, tag, value);
            }
        }
        keep();
    }

    /** A tag that was put to it. */
    public Optional<String> tag(String tag) {
        return Optional.ofNullable(tags.get(tag));
    }

    /** All of them. */
    public Map<String, String> tags() {
        return tags;
    }

    /** Sends it away, behind what was sent before; it does not come back by itself. */
    public void close() {
        shard.execute(this::kick);
    }

    /** The same, and says why, by the event {@code sirocco:closed} with this code and message. */
    public void close(String code, String message) {
        Parcel parcel =
                parcel(
                        Packet.NO_ID,
                        false,
                        "sirocco:closed",
                        Map.of("code", code, "message", message));
        shard.execute(
                () -> {
                    put(parcel);
                    kick();
                });
    }

    private void kick() {
        Link last = link;
        if (last != null) {
            Packet packet = Packet.of(Packet.Type.DISCONNECT, namespace.name(), "");
            last.send(Parcel.message("4" + packet, List.of(), false));
            last.remove(this);
            end(Reason.KICKED);
            last.closeIfEmpty();
        } else {
            end(Reason.KICKED);
        }
    }

    @Override
    public String toString() {
        return "client " + id + user().map(name -> " of " + name).orElse("");
    }

    // ---- coming and going

    Shard shard() {
        return shard;
    }

    boolean hasPid(String other) {
        return pid != null && pid.equals(other);
    }

    private void at(Link next) {
        link = next;
        shard = next.shard;
        peer = next.session.peer();
    }

    /** It is here for the first time. Any thread. */
    void enter(Link first) {
        at(first);
        shard.execute(
                () -> {
                    if (!first.add(this)) {
                        state = State.GONE;
                        return;
                    }
                    state = State.HERE;
                    shard.add(this);
                    namespace.add(this);
                    shard.tally.connects.add(1);
                    welcome();
                    submit(0, null, this::connected);
                });
        keep();
    }

    private void welcome() {
        String more = pid == null ? "" : "\",\"pid\":\"" + pid;
        String data = "{\"sid\":\"" + id + more + "\"}";
        Packet packet = Packet.of(Packet.Type.CONNECT, namespace.name(), data);
        link.send(Parcel.message("4" + packet, List.of(), false));
    }

    private void connected() {
        for (Listener<Void> each : namespace.connects) {
            call("connect", () -> each.on(this, null));
        }
    }

    /** Its session has ended, or it said good-bye. */
    void gone(Reason reason) {
        boolean mayReturn = reason == Reason.LOST || reason == Reason.SLOW;
        if (pid == null || !mayReturn || state == State.GONE) {
            shard.execute(() -> end(reason));
            return;
        }
        state = State.AWAY;
        link = null;
        failAsked();
        keep();
        long millis = namespace.hub.settings.recovery.toMillis();
        expiry = shard.loop.after(millis, () -> end(reason));
    }

    /** It does not come back as the same. Any thread. */
    void giveUp(Reason reason) {
        shard.execute(
                () -> {
                    Link last = link;
                    if (last != null) {
                        last.remove(this);
                    }
                    end(reason);
                });
    }

    /** It is on another node now: its handlers here are told nothing. Any thread. */
    void moved() {
        shard.execute(
                () -> {
                    Link last = detach();
                    if (last != null) {
                        last.closeIfEmpty();
                    }
                    synchronized (this) {
                        state = State.GONE;
                        tags.forEach((tag, value) -> namespace.untag(this, tag, value));
                    }
                    namespace.remove(this);
                });
    }

    private Link detach() {
        Link last = link;
        if (expiry != null) {
            expiry.cancel();
            expiry = null;
        }
        if (last != null) {
            last.remove(this);
        }
        link = null;
        shard.remove(this);
        failAsked();
        return last;
    }

    private void end(Reason reason) {
        if (state == State.GONE || state == State.NEW) {
            return;
        }
        detach();
        shard.tally.closes(reason).add(1);
        synchronized (this) {
            state = State.GONE;
            tags.forEach((tag, value) -> namespace.untag(this, tag, value));
        }
        namespace.remove(this);
        aside(() -> forgotten(reason));
        submit(
                0,
                null,
                () -> {
                    for (Listener<Reason> each : namespace.closes) {
                        call("close", () -> each.on(this, reason));
                    }
                });
    }

    private void forgotten(Reason reason) {
        Hub hub = namespace.hub;
        for (String room : rooms) {
            if (hub.hasPresence(room)) {
                hub.broker.leave(place(room), member());
            }
        }
        if (pid != null && reason != Reason.STOPPED) {
            hub.broker.forget(namespace.name(), pid);
        }
    }

    /**
     * Has a virtual thread run it: a broker may have a lock, and a loop that waits for one behind a
     * virtual thread of its own stands still.
     */
    private void aside(Runnable task) {
        if (Thread.currentThread().isVirtual()) {
            task.run();
        } else {
            shard.loop.startVirtual(task);
        }
    }

    private void failAsked() {
        List<CompletableFuture<Arguments>> all;
        synchronized (this) {
            all = asked == null ? List.of() : new ArrayList<>(asked.values());
        }
        all.forEach(
                future ->
                        future.completeExceptionally(
                                RequestException.closed("the client has gone")));
    }

    /** Has the broker know it as it is. Any thread. */
    void keep() {
        State now = state;
        if (pid == null || now == State.GONE) {
            return;
        }
        Duration recovery = namespace.hub.settings.recovery;
        Duration life = now == State.AWAY ? recovery : recovery.plusSeconds(20);
        var session = new Session(namespace.name(), pid, id, user, List.copyOf(rooms), tags);
        aside(() -> namespace.hub.broker.keep(session, life));
    }

    /** It returns over another link, maybe on another loop: from now on messages are held. */
    void comeBack(Link next, CompletableFuture<Boolean> back) {
        Shard before = shard;
        Runnable arrive =
                () -> {
                    at(next);
                    next.shard.execute(
                            () -> {
                                boolean added = next.add(this);
                                state = added ? State.RETURNS : State.AWAY;
                                held = new ArrayList<>();
                                if (added) {
                                    namespace.add(this);
                                    next.shard.add(this);
                                } else {
                                    link = null;
                                    gone(Reason.LOST);
                                }
                                back.complete(added);
                            });
                };
        if (before == null) {
            rejoin();
            arrive.run();
        } else {
            before.execute(
                    () -> {
                        Link last = detach();
                        if (last != null) {
                            last.session.close(); // half-open: nobody knew that it is lost
                        }
                        arrive.run();
                    });
        }
    }

    private void rejoin() {
        for (String room : rooms) {
            if (namespace.hub.hasPresence(room)) {
                namespace.hub.broker.join(place(room), member());
            }
        }
    }

    /** It is told what it has missed. Any thread. */
    void resume(Link to, Replay replay) {
        shard.execute(
                () -> {
                    if (link != to || state != State.RETURNS) {
                        return;
                    }
                    state = State.HERE;
                    shard.tally.recovered.add(1);
                    welcome();
                    var told = new HashSet<Position>();
                    for (Replay.Message message : replay.messages()) {
                        told.add(message.position());
                        put(new Delivery(message.position(), message.publication()).dated());
                    }
                    List<Delivery> since = held;
                    held = null;
                    for (Delivery each : since) {
                        if (!told.contains(each.position)) {
                            put(each.dated());
                        }
                    }
                });
        keep();
    }

    // ---- messages

    /** A message to a room that it is in. */
    void deliver(Delivery delivery) {
        if (state == State.HERE) {
            link.send(pid == null ? delivery.plain() : delivery.dated());
        } else if (state == State.RETURNS && held.size() < MOST_HELD) {
            held.add(delivery);
        }
    }

    private void put(Parcel parcel) {
        Link now = link;
        if (now != null && state == State.HERE) {
            now.send(parcel);
        }
    }

    /** Tells it that something is missing. Any thread. */
    void gap(Map<String, ?> what) {
        Parcel parcel = parcel(Packet.NO_ID, false, "sirocco:gap", what);
        shard.execute(
                () -> {
                    shard.tally.gaps.add(1);
                    put(parcel);
                });
    }

    /** An event has come, or a request. */
    void event(Link from, Received received) throws WireException {
        Packet packet = received.packet();
        JsonNode data = namespace.hub.json.parse(packet.data(), received.attachments());
        JsonNode first = data.get(0);
        if (first == null || !first.isString() || Packet.RESERVED.contains(first.stringValue())) {
            throw new WireException("an event begins with a name that is not reserved");
        }
        boolean asks = packet.id() != Packet.NO_ID;
        Answer answer = asks ? new Answer(this, from, packet.id()) : null;
        boolean room = !asks || from.asks();
        if (!allowed(from) || !room) {
            if (asks) {
                answer.fail("limited", "too many messages");
            }
            return;
        }
        var arguments = new Arguments(namespace.hub.json.mapper(), data, 1);
        var event = new Event(this, first.stringValue(), arguments, answer);
        submit(received.size(), answer, event);
    }

    private boolean allowed(Link from) {
        var limit = namespace.hub.settings.messages;
        if (limit.isEmpty()) {
            return true;
        }
        long now = shard.loop.now();
        if (meter == null) {
            meter = new Meter(limit.get(), now);
        }
        if (meter.take(now)) {
            return true;
        }
        if (meter.isAbused()) {
            from.limited();
        }
        return false;
    }

    /** An answer of the client's has come. */
    void acked(Received received) throws WireException {
        JsonNode data = namespace.hub.json.parse(received.packet().data(), received.attachments());
        CompletableFuture<Arguments> future = forget(received.packet().id());
        if (future != null) { // else it comes too late
            future.complete(new Arguments(namespace.hub.json.mapper(), data, 0));
        }
    }

    // ---- handlers

    private void submit(int size, Answer answer, Runnable work) {
        Link from = link;
        if (from != null) {
            from.waits(size);
        }
        Shard here = shard;
        boolean idle =
                inbox.add(
                        new Inbox.Job(
                                size,
                                () -> {
                                    try {
                                        work.run();
                                    } finally {
                                        if (from != null) {
                                            from.run(() -> from.done(size));
                                        }
                                    }
                                },
                                answer));
        if (idle) {
            here.handlers(1);
            here.loop.startVirtual(() -> work(here));
            if (!watched && inbox.isRunning()) {
                watch(namespace.hub.settings.handlerDeadline.toNanos());
            }
        }
    }

    private void work(Shard here) {
        try {
            inbox.run(size -> {});
        } finally {
            here.handlers(-1);
        }
    }

    /** Looks later whether a handler takes too long: most never come to that. */
    private void watch(long nanos) {
        watched = true;
        shard.loop.after(Math.max(1, nanos / 1_000_000), this::look);
    }

    private void look() {
        watched = false;
        long most = namespace.hub.settings.handlerDeadline.toNanos();
        Answer late = inbox.interruptAfter(most);
        if (late != null) {
            late.fail("timeout", "the handler has taken too long");
        }
        if (inbox.isRunning()) {
            long left = most - inbox.nanos();
            watch(left > 0 ? left : most);
        }
    }

    /** What it needs to come back, told to it alone. */
    Map<String, String> session() {
        return pid == null ? Map.of() : Map.of("pid", pid, "epoch", namespace.hub.epoch());
    }

    interface Call {
        void run() throws Exception;
    }

    /** Runs what the program has given. */
    void call(String event, Call call) {
        try {
            call.run();
        } catch (Throwable e) {
            namespace.failed(this, event, e);
        }
    }
}
