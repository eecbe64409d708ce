// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.live.broker.Address;
import io.sirocco.live.broker.Audience;
import io.sirocco.live.broker.BrokerException;
import io.sirocco.live.broker.Limit;
import io.sirocco.live.broker.Position;
import io.sirocco.live.broker.Session;
import io.sirocco.live.engine.Engine;
import io.sirocco.live.engine.Parcel;
import io.sirocco.live.engine.Peer;
import io.sirocco.live.wire.Json;
import io.sirocco.live.wire.Packet;
import io.sirocco.net.TaskKind;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import tools.jackson.databind.JsonNode;

/**
 * Somebody who is connected, or was a moment ago and may come back. Any thread may call what is
 * public; the rest is confined to where it lives, unless it says otherwise.
 */
public final class Client extends Lane {
    private static final int MAX_SAME = 5;
    private static final int MAX_TAGS = 32; // that it gives itself
    private static final int LONGEST_TAG = 256;
    private static final String NAME = "name";
    private static final CompletionStage<Void> SENT = CompletableFuture.completedStage(null);

    final Rooms rooms = new Rooms(this);
    final Life life = new Life(this);
    private final Namespace namespace;
    private final String id;
    private final String pid; // null for one that does not recover
    private final Map<String, String> given;
    private Handlers handlers; // null while none has run for a while; where it lives
    private volatile Admission.Admitted admitted; // anew when it comes back
    private volatile Map<String, String> tags = Map.of(); // written with the lock of this held
    private volatile Peer peer;
    private volatile Asked asked; // null before the first question; made with the lock of this held
    private final Position since; // see Audience; null without recovery
    private Meter meter;
    // empty before it has missed something; one attempt at a time counts
    private volatile Optional<Session.Replayed> replayed = Optional.empty();

    private Client(
            Namespace namespace,
            String id,
            String pid,
            Position since,
            Admission.Admitted admitted,
            Map<String, String> given) {
        this.namespace = namespace;
        this.id = id;
        this.pid = pid;
        this.since = since;
        this.admitted = admitted;
        this.given = given;
    }

    static Client fresh(
            Namespace namespace,
            Admission.Admitted admitted,
            boolean recovers,
            Map<String, String> given) {
        String pid = recovers ? Engine.newId() : null;
        Position since = recovers ? namespace.hub.newest() : null;
        var client = new Client(namespace, Engine.newId(), pid, since, admitted, given);
        client.tags = namespace.hub.settings.clientTags(given);
        return client;
    }

    /** One that comes back over {@code by}, and that this node does not know. */
    static Client recovered(
            Namespace namespace,
            Session kept,
            Admission.Admitted admitted,
            Map<String, String> given,
            Link by) {
        var client =
                new Client(namespace, kept.client(), kept.pid(), kept.since(), admitted, given);
        client.life.livesWith(by);
        client.rooms.restore(kept.rooms());
        client.replayed = kept.replayed();
        client.tags = Map.copyOf(kept.tags());
        client.tags.forEach((tag, value) -> namespace.tag(client, tag, value));
        return client;
    }

    /** What a client says of itself in its CONNECT: some short texts. */
    static Map<String, String> tagsOf(JsonNode auth) {
        var tags = new HashMap<String, String>();
        for (Map.Entry<String, JsonNode> each : auth.path("tags").properties()) {
            String tag = each.getKey();
            String value = each.getValue().isString() ? each.getValue().stringValue() : null;
            boolean fits = tag.length() <= LONGEST_TAG && tags.size() < MAX_TAGS;
            if (fits && value != null && value.length() <= LONGEST_TAG) {
                tags.put(tag, value);
            }
        }
        JsonNode name = auth.path(NAME);
        boolean named = name.isString() && name.stringValue().length() <= LONGEST_TAG;
        if (named && tags.size() < MAX_TAGS) {
            tags.putIfAbsent(NAME, name.stringValue());
        }
        return tags.isEmpty() ? Map.of() : Map.copyOf(tags);
    }

    // ---- who it is

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
        return admitted.user().filter(name -> !name.isEmpty());
    }

    /**
     * Whether it was admitted to this room, by {@link Admission.Admitted#rooms}: for programs whose
     * clients choose their rooms. {@link #join} does not ask.
     */
    public boolean mayJoin(String room) {
        return admitted.mayJoin(room);
    }

    /**
     * Called when the client recovers from this position and has missed messages. Returns whether
     * it has recovered from there too often, on whichever nodes: it cannot take what it is sent,
     * now or the next time.
     */
    boolean isStuck(Position after) {
        int before =
                replayed.filter(last -> last.from().equals(after))
                        .map(Session.Replayed::times)
                        .orElse(0);
        replayed = Optional.of(new Session.Replayed(after, before + 1));
        life.keepWhole(); // before it is sent anything: the next time may be on another node
        return before >= MAX_SAME;
    }

    /** It has come back, and was admitted anew. */
    void admitted(Admission.Admitted anew) {
        admitted = anew;
    }

    /** When its connection is closed, unless it is admitted anew. */
    Optional<Instant> until() {
        return admitted.until();
    }

    /** What it has said of itself, and how it is connected, or was last. */
    public ClientInfo info() {
        Link now = life.link();
        Peer last = peer;
        String transport = now == null ? "" : now.session.transport();
        return new ClientInfo(last.address(), transport, last::header, given);
    }

    /** Whether it is connected at this moment. */
    public boolean isConnected() {
        return life.isHere();
    }

    @Override
    public String toString() {
        return "client " + id + user().map(name -> " of " + name).orElse("");
    }

    // ---- messages to it

    /**
     * Sends it an event, which arrives once at most. Does nothing when it is gone. While the broker
     * is away, a message to a client of this node arrives all the same; one that was on its way to
     * the broker then, when it is known whether the broker has it: maybe behind later ones.
     *
     * <p>The stage is for those who send much: they wait for it before they send more, and the
     * client is never closed as slow, nor is anything dropped, because of what they send. It
     * completes at once while less than half of the {@linkplain LiveSettings#budget budget} waits,
     * and else when the client has taken what was sent before, or has gone. No thread has to wait
     * for it. It completes on any thread: what depends on it must not block, unless it is made
     * {@code async}.
     *
     * @param arguments what JSON can say, and bytes
     * @return completes when more may be sent; exceptionally with a {@link BrokerException} when
     *     nobody knows whether this will arrive
     * @throws IllegalArgumentException when the name of the event is {@link Live#isReserved
     *     reserved}, or clients cannot take the arguments: they have no form in JSON, more than
     *     {@link Live#MAX_BYTE_ARRAYS} byte arrays, or a member {@code _placeholder}
     */
    public CompletionStage<Void> send(String event, Object... arguments) {
        Live.mustNotBeOurs(event);
        if (pid == null) {
            sendAlone(event, arguments);
            return awaitRoom();
        }
        CompletableFuture<Position> published =
                namespace
                        .publish(Set.of(Address.client(id)), Set.of(), event, arguments)
                        .toCompletableFuture();
        if (published.isDone() && !published.isCompletedExceptionally()) {
            return awaitRoom();
        }
        return published
                .handle(
                        (position, thrown) ->
                                thrown == null ? SENT : notPublished(thrown, event, arguments))
                .thenCompose(stage -> stage)
                .thenCompose(sent -> awaitRoom());
    }

    /** It is delivered here, without an offset, but only when it can come no other way. */
    private CompletionStage<Void> notPublished(
            Throwable thrown, String event, Object... arguments) {
        Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : thrown;
        if (!(cause instanceof BrokerException failed)) {
            sendAlone(event, arguments);
            return SENT;
        }
        return failed.delivered()
                .handle(
                        (delivered, unknown) -> {
                            if (unknown != null) {
                                gap(Map.of("lost", true));
                                throw failed;
                            }
                            if (!delivered) {
                                sendAlone(event, arguments);
                            }
                            return null;
                        });
    }

    private CompletionStage<Void> awaitRoom() {
        if (life.hasRoom()) {
            return SENT;
        }
        var room = new CompletableFuture<Void>();
        life.awaitRoom(room);
        return room;
    }

    private void sendAlone(String event, Object... arguments) {
        Parcel parcel = parcel(Packet.NO_ID, true, event, arguments);
        Shard here = shard();
        if (here.loop.enter()) {
            try {
                put(parcel);
            } finally {
                here.loop.exit();
            }
        } else if (here.reserve(namespace, Set.of(Address.client(id)), parcel.size())) {
            inOrder(
                    () -> {
                        here.release(parcel.size());
                        life.put(parcel);
                    });
        }
    }

    private void put(Parcel parcel) {
        inOrder(() -> life.put(parcel));
    }

    private Parcel parcel(long ask, boolean droppable, String event, Object... arguments) {
        Json.Encoded encoded = namespace.hub.json.event(event, Arguments.spread(arguments));
        int attachments = encoded.attachments().size();
        Packet packet = Packet.event(namespace.name(), ask, attachments, encoded.data());
        return Parcel.message("4" + packet, encoded.attachments(), droppable);
    }

    /** Tells it that something is missing. Any thread. */
    void gap(Map<String, ?> what) {
        Parcel parcel = parcel(Packet.NO_ID, false, "sirocco:gap", what);
        inOrder(
                () -> {
                    shard().tally.gaps.add(1);
                    life.put(parcel);
                });
    }

    /** The same at this place between messages to rooms. Where it lives. */
    void gapHere(Map<String, ?> what) {
        shard().tally.gaps.add(1);
        life.gap(parcel(Packet.NO_ID, false, "sirocco:gap", what));
    }

    /**
     * Asks it, and waits for its answer. Must not be called on a loop: not by an {@code INLINE}
     * handler of HTTP, for example.
     *
     * @throws RequestException when there is none, or another than was wanted
     */
    public <T> T request(String event, Duration deadline, Class<T> type, Object... arguments) {
        Live.mustNotBeOurs(event);
        var answer = new CompletableFuture<Arguments>();
        Asked questions = asked();
        long number = questions.add(answer);
        try {
            if (!life.isHere()) {
                throw Asked.gone();
            }
            Parcel parcel = parcel(number, false, event, arguments);
            inOrder(
                    () -> {
                        if (!life.put(parcel)) {
                            answer.completeExceptionally(Asked.gone());
                        }
                    });
            return Asked.await(answer, event, deadline, type);
        } finally {
            questions.remove(number);
        }
    }

    private Asked asked() {
        if (asked == null) {
            synchronized (this) {
                if (asked == null) {
                    asked = new Asked();
                }
            }
        }
        return asked;
    }

    /** The answer that this number was given to; null when it comes too late. Any thread. */
    CompletableFuture<Arguments> answered(long number) {
        return asked == null ? null : asked.remove(number);
    }

    /** Nobody is there to answer. */
    void failAsked() {
        if (asked != null) {
            asked.fail();
        }
    }

    /** Sends it away, behind what was sent before; it does not come back by itself. */
    public void close() {
        inOrder(life::kick);
    }

    /** The same, and says why, by the event {@code sirocco:closed} with this code and message. */
    public void close(String code, String message) {
        Map<String, String> why = Map.of("code", code, "message", message);
        put(parcel(Packet.NO_ID, false, "sirocco:closed", why));
        close();
    }

    // ---- rooms and tags

    /**
     * Puts it into a room. Does nothing when it is gone.
     *
     * @throws IllegalStateException when it is in as many as it may be, or all clients together are
     * @throws RequestException as {@link Namespace#room}
     */
    public void join(String room) {
        if (rooms.join(Room.named(room))) {
            life.keep();
        }
    }

    /** Takes it out of a room. */
    public void leave(String room) {
        if (rooms.leave(room)) {
            life.keep();
        }
    }

    /** The rooms that it is in. */
    public Set<String> rooms() {
        return rooms.names();
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
            if (life.lasts()) {
                namespace.tag(this, tag, value);
            }
        }
        life.keep();
    }

    /** It has come: it is found by the tags that it may give itself. */
    void tagged() {
        synchronized (this) {
            if (life.lasts()) {
                tags.forEach((tag, value) -> namespace.tag(this, tag, value));
            }
        }
    }

    /** The name that it gives itself, as JSON for those who see it in rooms; empty for none. */
    String nameForMembers() {
        String name = given.get(NAME);
        return name == null ? "" : namespace.hub.json.text(Map.of(NAME, name));
    }

    /** A tag that was put to it. */
    public Optional<String> tag(String tag) {
        return Optional.ofNullable(tags.get(tag));
    }

    /** All of them. */
    public Map<String, String> tags() {
        return tags;
    }

    /** It is found by none of them any more: {@code end} has it end, with the lock held. */
    void untag(Runnable end) {
        synchronized (this) {
            end.run();
            tags.forEach((tag, value) -> namespace.untag(this, tag, value));
        }
    }

    // ---- for its life

    @Override
    Shard shard() {
        return life.shard();
    }

    void at(Peer other) {
        peer = other;
    }

    boolean recovers() {
        return pid != null;
    }

    String pid() {
        return pid;
    }

    /** Whom a replay is for. Any thread. */
    Audience audience(Map<String, Position> inRooms) {
        return new Audience(namespace.name(), id, since, inRooms);
    }

    /** As the broker keeps it. Any thread. */
    Session session(
            long version, String user, Map<String, Position> inRooms, Map<String, String> ownTags) {
        String name = namespace.name();
        return new Session(name, pid, id, user, since, inRooms, ownTags, replayed, version);
    }

    /** What it needs to come back, told to it alone. */
    Map<String, String> secrets() {
        return pid == null ? Map.of() : Map.of("pid", pid, "epoch", namespace.hub.epoch());
    }

    void connected() {
        submit(
                namespace.connecting,
                0,
                null,
                () -> {
                    for (Listener<Void> each : namespace.connects) {
                        call("connect", () -> each.on(this, null));
                    }
                });
    }

    void ended(Reason reason) {
        if (reason != Reason.STOPPED) {
            life.forget();
        }
        handlers()
                .submitLast(
                        namespace.closing,
                        () -> {
                            for (Listener<Reason> each : namespace.closes) {
                                call("close", () -> each.on(this, reason));
                            }
                        });
    }

    // ---- handlers

    private Handlers handlers() {
        if (handlers == null) {
            handlers = new Handlers(this);
        }
        return handlers;
    }

    /** None of its handlers runs, or has to wait for another. Where it lives. */
    void quiet() {
        handlers = null;
    }

    /** Has its handlers do something, of so many bytes, that owes an answer or null. */
    void submit(TaskKind kind, int size, Answer answer, Runnable work) {
        handlers().submit(life.link(), size, answer, kind, work);
    }

    /** Has its answerer do a request, beside others where the program wants that. */
    void submitRequest(TaskKind kind, int size, Answer answer, Runnable work) {
        int most = namespace.hub.settings.concurrentRequests;
        if (most > 1) {
            handlers().submitBeside(life.link(), size, answer, kind, work, most);
        } else {
            submit(kind, size, answer, work);
        }
    }

    /** Whether it may send one more message, by this limit. */
    boolean maySend(Limit limit, Link from) {
        long now = shard().loop.now();
        if (meter == null) {
            meter = new Meter(limit, now);
        }
        if (meter.take(now)) {
            return true;
        }
        if (meter.isAbused()) {
            from.limited();
        }
        return false;
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
