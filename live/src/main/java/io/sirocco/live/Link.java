// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sirocco.live.broker.Limit;
import io.sirocco.live.engine.Channel;
import io.sirocco.live.engine.End;
import io.sirocco.live.engine.Home;
import io.sirocco.live.engine.Parcel;
import io.sirocco.live.engine.Session;
import io.sirocco.live.wire.Json;
import io.sirocco.live.wire.Packet;
import io.sirocco.live.wire.Received;
import io.sirocco.live.wire.WireException;
import io.sirocco.net.ScheduledTask;
import io.sirocco.net.TaskKind;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;

/**
 * Socket.IO on one session: its clients, one for each namespace. Confined to where the session
 * lives, but for {@link #run} and {@link #shard}.
 */
final class Link implements Channel {
    private static final int NAMESPACES = 100;
    private static final int MAX_REFUSALS = 8;
    private static final Limit CONNECTS = new Limit.Bucket(NAMESPACES, Duration.ofSeconds(10));
    private static final Duration LOOK_AGAIN = Duration.ofHours(1); // clocks are set

    /**
     * A CONNECT_ERROR of the namespace / as socket.io-msgpack-parser has it, for a client that uses
     * that: it has nothing else to tell its user, and would connect for ever.
     */
    private static final byte[] OTHER_PARSER =
            ("\u0083\u00a4type\u0004\u00a3nsp\u00a1/\u00a4data\u0082\u00a7message\u00d9\u0037"
                            + "this server speaks the default parser of Socket.IO only"
                            + "\u00a4data\u0081\u00a4code\u00b2unsupported_parser")
                    .getBytes(ISO_8859_1);

    final Hub hub;
    final Session session;
    private Intake intake; // null while nothing of it waits
    private Client only; // most have one
    private Map<String, Client> clients; // where there are more
    private Set<String> connecting; // null while there are none
    private ScheduledTask connectDeadline;
    private ScheduledTask expiry; // null while nobody was admitted for a time
    private byte refusals;
    private boolean entered; // somebody was connected since the deadline began
    private boolean again; // a CONNECT has come before
    private Meter connects; // null before the second
    private Reason reason = Reason.LOST;

    Link(Hub hub, Session session) {
        this.hub = hub;
        this.session = session;
        awaitConnect();
    }

    private void awaitConnect() {
        connectDeadline =
                session.loop()
                        .schedule(
                                hub.settings.connectTimeout.toMillis(),
                                () -> {
                                    connectDeadline = null;
                                    if (isEmpty() && !entered) {
                                        session.cut("no CONNECT has come");
                                    }
                                    forgetHeaders();
                                });
    }

    /** Those who could ask for them have been: what is left is for {@link Client#info}. */
    private void forgetHeaders() {
        session.keepHeaders(hub.settings.headers);
        all().forEach(client -> client.at(session.peer()));
    }

    /** Returns the time of day, by the clock of the loop. Any thread. */
    Instant now() {
        return Instant.ofEpochMilli(session.loop().clock().wallMillis());
    }

    /** Ends the session when the time is over for which one of its clients was admitted. */
    private void awaitExpiry() {
        Optional<Instant> end =
                all().stream().flatMap(c -> c.until().stream()).min(Comparator.naturalOrder());
        if (end.isEmpty()) {
            expiry = null;
            return;
        }
        Duration left = Duration.between(now(), end.get());
        if (!left.isPositive()) {
            session.finish(); // it comes back, as from any cut
            return;
        }
        Duration wait = left.compareTo(LOOK_AGAIN) < 0 ? left : LOOK_AGAIN;
        expiry = session.loop().schedule(wait.toMillis() + 1, this::awaitExpiry);
    }

    private void cancelExpiry() {
        if (expiry != null) {
            expiry.cancel();
        }
    }

    /** Where it lives. */
    Shard shard() {
        return (Shard) session.home();
    }

    Json json() {
        return hub.json;
    }

    /** Has {@code task} run where this is confined to. Any thread. */
    void run(Runnable task) {
        session.run(task);
    }

    void send(Parcel parcel) {
        Tally tally = shard().tally;
        tally.messagesOut.add(1);
        tally.bytesOut.add(parcel.length());
        session.send(parcel);
    }

    // ---- clients

    private boolean isEmpty() {
        return only == null && clients == null && connecting == null;
    }

    private Client client(String namespace) {
        if (clients != null) {
            return clients.get(namespace);
        }
        return only != null && only.namespace().name().equals(namespace) ? only : null;
    }

    List<Client> all() {
        return clients != null
                ? List.copyOf(clients.values())
                : only == null ? List.of() : List.of(only);
    }

    /** It is connected from now on; false when the session has ended meanwhile. */
    boolean add(Client client) {
        String name = client.namespace().name();
        if (!expects(name)) {
            return false;
        }
        expectNoMore(name);
        entered = true;
        if (connectDeadline != null && hub.hasOneNamespace()) {
            connectDeadline.cancel();
            connectDeadline = null;
        }
        if (clients != null) {
            clients.put(name, client);
        } else if (only == null) {
            only = client;
        } else {
            clients = new HashMap<>();
            clients.put(only.namespace().name(), only);
            clients.put(name, client);
            only = null;
        }
        if (connectDeadline == null) { // else other namespaces may ask for them until then
            forgetHeaders();
        }
        if (client.until().isPresent()) {
            cancelExpiry();
            awaitExpiry();
        }
        return true;
    }

    /** A client is at the door of this namespace. */
    void expect(String name) {
        if (connecting == null) {
            connecting = new HashSet<>(2);
        }
        connecting.add(name);
    }

    private boolean expects(String name) {
        return connecting != null && connecting.contains(name);
    }

    private void expectNoMore(String name) {
        connecting.remove(name);
        if (connecting.isEmpty()) {
            connecting = null;
        }
    }

    /** It has no such client any more. */
    void remove(Client client) {
        if (only == client) {
            only = null;
        } else if (clients != null
                && clients.remove(client.namespace().name(), client)
                && clients.isEmpty()) {
            clients = null;
        }
    }

    /** A client was removed by us: nobody may be left. */
    void closeIfEmpty() {
        if (isEmpty()) {
            session.finish();
        }
    }

    /** The client has broken a limit. */
    void limited() {
        reason = Reason.LIMITED;
        session.cut("a limit was broken");
    }

    // ---- what comes

    Intake intake() {
        if (intake == null) {
            intake = new Intake(hub, session);
        }
        return intake;
    }

    /** Something is done that has come: while nothing more is there, nothing is kept of it. */
    private void forgetIntake() {
        if (intake != null && intake.isIdle()) {
            intake = null;
        }
    }

    /** Handlers have done what they had to, of so many bytes. */
    void done(int size) {
        intake().done(size);
        forgetIntake();
    }

    /** A request is answered. */
    void answered() {
        intake().answered();
        forgetIntake();
    }

    @Override
    public boolean isAdmitted() {
        return only != null || clients != null;
    }

    @Override
    public void text(String text) throws WireException {
        Optional<Received> received = intake().text(text);
        if (received.isPresent()) {
            receive(received.get());
        }
    }

    @Override
    public void binary(byte[] bytes) throws WireException {
        if (!again && isEmpty()) { // its CONNECT, in bytes
            again = true;
            hub.refused("parser");
            send(Parcel.binary(OTHER_PARSER));
            session.finish();
            return;
        }
        Optional<Received> received = intake().binary(bytes);
        if (received.isPresent()) {
            receive(received.get());
        }
    }

    private void receive(Received received) throws WireException {
        Packet packet = received.packet();
        if (packet.type() == Packet.Type.CONNECT) {
            connect(packet);
            return;
        }
        Client client = client(packet.namespace());
        if (client == null) {
            throw new WireException("nobody is in the namespace " + packet.namespace());
        }
        switch (packet.type()) {
            case DISCONNECT -> {
                remove(client);
                client.life.gone(Reason.LEFT);
                if (isEmpty()) {
                    awaitConnect();
                }
            }
            case EVENT, BINARY_EVENT -> {
                intake().took(received);
                event(client, received);
            }
            case ACK, BINARY_ACK -> {
                intake().took(received);
                answer(client, received);
            }
            default -> throw new WireException(packet.type() + " is not for us");
        }
    }

    private void event(Client client, Received received) throws WireException {
        Packet packet = received.packet();
        JsonNode data = hub.json.parse(packet.data(), received.attachments());
        JsonNode first = data.get(0);
        if (first == null || !first.isString() || Packet.RESERVED.contains(first.stringValue())) {
            throw new WireException("an event begins with a name that is not reserved");
        }
        boolean asks = packet.id() != Packet.NO_ID;
        Answer answer = asks ? new Answer(client, this, packet.id()) : null;
        boolean room = !asks || intake().asks();
        Optional<Limit> limit = hub.settings.messages;
        if (limit.isPresent() && !client.maySend(limit.get(), this) || !room) {
            if (asks) {
                answer.fail("limited", "too many messages");
            }
            return;
        }
        var arguments = new Arguments(hub.json.mapper(), data, 1);
        var event = new Event(client, first.stringValue(), arguments, answer);
        TaskKind kind = client.namespace().listeners.kindOf(event.name());
        if (asks && client.namespace().listeners.answererOf(event.name()) != null) {
            client.submitRequest(kind, received.size(), answer, event);
        } else {
            client.submit(kind, received.size(), answer, event);
        }
    }

    /** Of a question of ours. */
    private void answer(Client client, Received received) throws WireException {
        JsonNode data = hub.json.parse(received.packet().data(), received.attachments());
        CompletableFuture<Arguments> waiting = client.answered(received.packet().id());
        if (waiting != null) {
            waiting.complete(new Arguments(hub.json.mapper(), data, 0));
        }
    }

    private void connect(Packet packet) throws WireException {
        if (again) { // handlers of who comes and goes are not for free either
            long now = session.loop().now();
            connects = connects == null ? new Meter(CONNECTS, now) : connects;
            if (!connects.take(now)) {
                limited();
                return;
            }
        }
        again = true;
        String name = packet.namespace();
        Namespace namespace = hub.namespace(name);
        JsonNode auth = hub.json.parse(packet.data().isEmpty() ? "{}" : packet.data(), List.of());
        if (client(name) != null
                || expects(name)
                || all().size() >= NAMESPACES
                || connecting != null && connecting.size() >= NAMESPACES) {
            throw new WireException("two CONNECTs to " + name);
        }
        if (namespace == null) {
            String code = "unknown_namespace";
            refuse(name, code, connectError(code, "Invalid namespace", Map.of()));
            return;
        }
        expect(name);
        session.loop().startVirtual(namespace.admitting, new Door(this, namespace, auth));
    }

    /** Who wanted to come in may not. */
    void refused(String name, String code, String why) {
        if (expects(name)) {
            expectNoMore(name);
            refuse(name, code, why);
            if (++refusals == MAX_REFUSALS) {
                limited(); // who guesses has to connect again, and connects are limited
            } else if (isEmpty() && connectDeadline == null) {
                entered = false;
                awaitConnect();
            }
        }
    }

    private void refuse(String name, String code, String why) {
        hub.refused(code);
        Packet packet = Packet.of(Packet.Type.CONNECT_ERROR, name, why);
        send(Parcel.message("4" + packet, List.of(), false));
    }

    /** Returns the data of the {@code connect_error} of a client that is refused. Any thread. */
    String connectError(String code, String message, Map<String, ?> data) {
        var all = new HashMap<String, Object>(data);
        all.put("code", code);
        return hub.json.text(new ConnectError(message, all));
    }

    private record ConnectError(String message, Map<String, Object> data) {}

    // ---- moving

    @Override
    public boolean move(Home to) {
        if (connecting != null || !all().stream().allMatch(client -> client.life.isSettled())) {
            return false;
        }
        hub.move(this, (Shard) to);
        return true;
    }

    /** It lives there from now on; false when the session has ended meanwhile. */
    boolean leave(Shard to) {
        if (connectDeadline != null) {
            connectDeadline.cancel();
        }
        cancelExpiry();
        intake().leave();
        boolean leaves = session.leave(to);
        if (!leaves) {
            intake().arrive();
        }
        return leaves;
    }

    /** It is there. */
    void arrive() {
        intake().arrive();
        if (connectDeadline != null) {
            awaitConnect();
        }
        session.arrive();
        if (expiry != null) {
            awaitExpiry();
        }
    }

    // ---- the end

    /** The server stops: closes when no handler has anything to say any more. */
    void finishWhenQuiet() {
        if ((intake == null || intake.isQuiet()) && connecting == null) {
            reason = Reason.STOPPED;
            session.finish();
        }
    }

    @Override
    public void dropped(long events) {
        shard().tally.dropped.add(events);
    }

    @Override
    public void room() {
        if (only != null) {
            only.life.room();
        } else if (clients != null) {
            all().forEach(client -> client.life.room());
        }
    }

    @Override
    public void gap(long dropped) {
        all().forEach(client -> client.gap(Map.of("dropped", dropped)));
    }

    @Override
    public void closed(End end) {
        intake().closed();
        if (connectDeadline != null) {
            connectDeadline.cancel();
        }
        cancelExpiry();
        Reason why =
                switch (end) {
                    case SLOW -> Reason.SLOW;
                    case LIMITED -> Reason.LIMITED;
                    case LOST, OURS -> hub.stopping ? Reason.STOPPED : reason;
                };
        List<Client> last = all();
        connecting = null;
        only = null;
        clients = null;
        last.forEach(client -> client.life.gone(why));
    }
}
