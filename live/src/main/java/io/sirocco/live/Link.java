// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.live.engine.Channel;
import io.sirocco.live.engine.End;
import io.sirocco.live.engine.Parcel;
import io.sirocco.live.engine.Session;
import io.sirocco.live.wire.Assembler;
import io.sirocco.live.wire.Json;
import io.sirocco.live.wire.Packet;
import io.sirocco.live.wire.Received;
import io.sirocco.live.wire.WireException;
import io.sirocco.net.Alarm;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * Socket.IO on one session: its clients, one for each namespace. Confined to the loop of the
 * session, but for {@link #run}.
 */
final class Link implements Channel {
    private static final int FULL = 64 << 10;
    private static final int JOB = 64;
    private static final int NAMESPACES = 100;

    final Hub hub;
    final Session session;
    final Shard shard;
    private Client only; // most have one
    private Map<String, Client> clients; // where there are more
    private Set<String> connecting; // null while there are none
    private Assembler assembler; // null before the first attachment
    private Alarm connectDeadline;
    private int waiting; // bytes that handlers have not taken
    private int unanswered;
    private double allowance; // bytes that may be read, where that is limited
    private long allowedAt;
    private boolean throttled;
    private boolean full;
    private Reason reason = Reason.LOST;

    Link(Hub hub, Session session, Shard shard) {
        this.hub = hub;
        this.session = session;
        this.shard = shard;
        this.allowance = hub.settings.bytesPerSecond;
        this.allowedAt = session.loop().now();
        awaitConnect();
    }

    private void awaitConnect() {
        connectDeadline =
                session.loop()
                        .after(
                                hub.settings.connectDeadline.toMillis(),
                                () -> {
                                    if (isEmpty()) {
                                        session.cut("no CONNECT has come");
                                    }
                                });
    }

    Json json() {
        return hub.json;
    }

    /** Has {@code task} run where this is confined to. Any thread. */
    void run(Runnable task) {
        session.run(task);
    }

    void send(Parcel parcel) {
        shard.tally.messagesOut.add(1);
        shard.tally.bytesOut.add(parcel.length());
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

    private List<Client> all() {
        return clients != null
                ? List.copyOf(clients.values())
                : only == null ? List.of() : List.of(only);
    }

    /** It is connected from now on; false when the session has ended meanwhile. */
    boolean add(Client client) {
        String name = client.namespace().name();
        if (connecting == null || !connecting.remove(name)) {
            return false;
        }
        if (connecting.isEmpty()) {
            connecting = null;
        }
        if (connectDeadline != null) {
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
        return true;
    }

    /** A client is at the door of this namespace. */
    void expect(String name) {
        if (connecting == null) {
            connecting = new HashSet<>(2);
        }
        connecting.add(name);
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

    @Override
    public void text(String text) throws WireException {
        throttle(text.length());
        if (assembler == null) {
            Packet packet = Packet.parse(text);
            if (packet.attachments() == 0) {
                receive(new Received(packet, List.of()));
                return;
            }
            assembler = new Assembler(hub.settings.attachments, hub.settings.maxMessage);
        }
        take(assembler.text(text));
    }

    @Override
    public void binary(byte[] bytes) throws WireException {
        throttle(bytes.length);
        if (assembler == null) {
            throw new WireException("an attachment has come that belongs to nothing");
        }
        take(assembler.binary(bytes));
    }

    private void take(Optional<Received> received) throws WireException {
        if (received.isPresent()) {
            receive(received.get());
        }
        if (assembler.isEmpty()) {
            assembler = null;
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
                client.gone(Reason.LEFT);
                if (isEmpty()) {
                    awaitConnect();
                }
            }
            case EVENT, BINARY_EVENT -> {
                took(received);
                client.event(this, received);
            }
            case ACK, BINARY_ACK -> {
                took(received);
                client.acked(received);
            }
            default -> throw new WireException(packet.type() + " is not for us");
        }
    }

    private void took(Received received) {
        shard.tally.messagesIn.add(1);
        shard.tally.bytesIn.add(received.size());
    }

    private void connect(Packet packet) throws WireException {
        String name = packet.namespace();
        Namespace namespace = hub.namespace(name);
        JsonNode auth = hub.json.parse(packet.data().isEmpty() ? "{}" : packet.data(), List.of());
        if (client(name) != null
                || connecting != null && connecting.contains(name)
                || all().size() >= NAMESPACES
                || connecting != null && connecting.size() >= NAMESPACES) {
            throw new WireException("two CONNECTs to " + name);
        }
        if (namespace == null) {
            refuse(name, "Invalid namespace", "unknown_namespace");
            return;
        }
        expect(name);
        session.loop().startVirtual(new Door(this, namespace, auth));
    }

    /** Who wanted to come in may not. */
    void refused(String name, String message) {
        if (connecting != null && connecting.remove(name)) {
            if (connecting.isEmpty()) {
                connecting = null;
            }
            refuse(name, message, "unauthorized");
        }
    }

    private void refuse(String name, String message, String code) {
        hub.refused(code);
        String data = hub.json.text(new Refused(message, Map.of("code", code)));
        Packet packet = Packet.of(Packet.Type.CONNECT_ERROR, name, data);
        send(Parcel.message("4" + packet, List.of(), false));
    }

    private record Refused(String message, Map<String, String> data) {}

    // ---- back-pressure

    /** A client's handlers have something more to do. */
    void waits(int size) {
        waiting += size + JOB;
        shard.tally.queued.add(1);
        shard.tally.queuedBytes.add(size);
        if (waiting >= FULL && !full) {
            full = true;
            session.pause();
        }
    }

    /** And have done it. */
    void done(int size) {
        waiting -= size + JOB;
        shard.tally.queued.add(-1);
        shard.tally.queuedBytes.add(-size);
        if (full && waiting < FULL / 2) {
            full = false;
            resume();
        }
    }

    private void throttle(int bytes) {
        long perSecond = hub.settings.bytesPerSecond;
        if (perSecond == 0) {
            return;
        }
        long now = session.loop().now();
        allowance = Math.min(perSecond, allowance + (now - allowedAt) * perSecond / 1e3) - bytes;
        allowedAt = now;
        if (allowance < 0 && !throttled) {
            throttled = true;
            session.pause();
            long wait = (long) Math.ceil(-allowance * 1_000 / perSecond);
            session.loop().after(wait, this::unthrottle);
        }
    }

    private void unthrottle() {
        throttled = false;
        resume();
    }

    private void resume() {
        if (!full && !throttled && !hub.stopping) {
            session.resume();
        }
    }

    /** One more request of the client is to be answered; false when there are too many. */
    boolean asks() {
        unanswered++;
        shard.tally.requests.add(1);
        return unanswered <= hub.settings.unanswered;
    }

    void answered() {
        unanswered--;
        shard.tally.requests.add(-1);
    }

    // ---- the end

    /** The server stops: closes when no handler has anything to say any more. */
    void finishWhenQuiet() {
        if (waiting == 0 && unanswered == 0 && connecting == null) {
            reason = Reason.STOPPED;
            session.finish();
        }
    }

    @Override
    public void dropped(long events) {
        shard.tally.dropped.add(events);
    }

    @Override
    public void gap(long dropped) {
        all().forEach(client -> client.gap(Map.of("dropped", dropped)));
    }

    @Override
    public void closed(End end) {
        if (connectDeadline != null) {
            connectDeadline.cancel();
        }
        Reason why =
                switch (end) {
                    case SLOW -> Reason.SLOW;
                    case LOST, OURS -> hub.stopping ? Reason.STOPPED : reason;
                };
        List<Client> last = all();
        connecting = null;
        only = null;
        clients = null;
        last.forEach(client -> client.gone(why));
    }
}
