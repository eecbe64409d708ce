// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.live.broker.Limit;
import io.sirocco.live.broker.Session;
import io.sirocco.live.engine.Engine;
import io.sirocco.live.engine.Parcel;
import io.sirocco.live.engine.Peer;
import io.sirocco.live.wire.Json;
import io.sirocco.live.wire.Packet;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;

/**
 * Somebody who is connected, or was a moment ago and may come back. Any thread may call what is
 * public; the rest is confined to where it lives, unless it says otherwise.
 */
public final class Client extends Lane {
    private static final int MOST_TAGS = 32; // that it gives itself
    private static final int LONGEST_TAG = 256;

    final Rooms rooms = new Rooms(this);
    final Life life = new Life(this);
    private final Namespace namespace;
    private final String id;
    private final String pid; // null for one that does not recover
    private final Map<String, String> given;
    private final Handlers handlers = new Handlers(this);
    private volatile Admission.Admitted admitted; // anew when it comes back
    private volatile Map<String, String> tags = Map.of(); // written with the lock of this held
    private volatile Peer peer;
    private volatile Asked asked; // null before the first question; made with the lock of this held
    private Meter meter;

    private Client(
            Namespace namespace,
            String id,
            String pid,
            Admission.Admitted admitted,
            Map<String, String> given) {
        this.namespace = namespace;
        this.id = id;
        this.pid = pid;
        this.admitted = admitted;
        this.given = given;
    }

    static Client fresh(
            Namespace namespace,
            Admission.Admitted admitted,
            boolean recovers,
            Map<String, String> given) {
        String pid = recovers ? Engine.newId() : null;
        return new Client(namespace, Engine.newId(), pid, admitted, given);
    }

    static Client recovered(
            Namespace namespace,
            Session kept,
            Admission.Admitted admitted,
            Map<String, String> given) {
        var client = new Client(namespace, kept.client(), kept.pid(), admitted, given);
        client.rooms.restore(Set.copyOf(kept.rooms()));
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
            boolean fits = tag.length() <= LONGEST_TAG && tags.size() < MOST_TAGS;
            if (fits && value != null && value.length() <= LONGEST_TAG) {
                tags.put(tag, value);
            }
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
     * Sends it an event. Does nothing when it is gone.
     *
     * @param arguments what JSON can say, and bytes
     */
    public void send(String event, Object... arguments) {
        if (pid == null) {
            sendAlone(event, arguments);
            return;
        }
        namespace
                .publish(Set.of(id), Set.of(), event, arguments)
                .whenComplete(
                        (position, thrown) -> {
                            if (thrown != null) {
                                sendAlone(event, arguments); // without an offset, then
                            }
                        });
    }

    private void sendAlone(String event, Object... arguments) {
        Parcel parcel = parcel(Packet.NO_ID, true, event, arguments);
        Shard here = shard();
        if (here.loop.inLoop()) {
            put(parcel);
        } else if (here.reserve(namespace, Set.of(id), parcel.size())) {
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
        Json.Encoded encoded = namespace.hub.json.event(event, arguments);
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
     * @throws IllegalStateException when it is in as many as it may be
     */
    public void join(String room) {
        if (rooms.join(room)) {
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

    boolean hasPid(String other) {
        return pid != null && pid.equals(other);
    }

    /** As the broker keeps it. Any thread. */
    Session session() {
        return new Session(
                namespace.name(), pid, id, admitted.user().orElse(""), List.copyOf(rooms()), tags);
    }

    /** What it needs to come back, told to it alone. */
    Map<String, String> secrets() {
        return pid == null ? Map.of() : Map.of("pid", pid, "epoch", namespace.hub.epoch());
    }

    void connected() {
        submit(
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
        submit(
                0,
                null,
                () -> {
                    for (Listener<Reason> each : namespace.closes) {
                        call("close", () -> each.on(this, reason));
                    }
                });
    }

    // ---- handlers

    /** Has its handlers do something, of so many bytes, that owes an answer or null. */
    void submit(int size, Answer answer, Runnable work) {
        handlers.submit(life.link(), size, answer, work);
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
