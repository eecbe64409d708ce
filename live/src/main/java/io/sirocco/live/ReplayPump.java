// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.live.broker.Address;
import io.sirocco.live.broker.Broker;
import io.sirocco.live.broker.Position;
import io.sirocco.live.broker.Publication;
import io.sirocco.live.broker.Replay;
import io.sirocco.net.log.LazyLogger;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Sends a client that has come back what it has missed: read from the broker part by part, and sent
 * as fast as the client takes it, so that neither its budget nor our memory has to hold all of it.
 *
 * <pre>
 *   send a part ── another one ──▶ ask for it ──┐       what is published meanwhile is in the log
 *        ▲  │                                   │
 *        │  └── the last one ──▶ send what came since it was asked for ──▶ over
 *        └──────────────────────────────────────┘
 *   forgotten by the broker, or more than may be replayed: a gap is told ──▶ over
 * </pre>
 *
 * <p>What is published to rooms that the client has joined meanwhile is held until the end.
 * Confined to where the client lives.
 */
final class ReplayPump {
    private static final LazyLogger LOG = LazyLogger.of(ReplayPump.class);
    private static final int PART = 1_000;
    private static final long PART_BYTES = 256 << 10;

    private final Client client;
    private final Link link;
    private final Map<String, Position> rooms; // when it came back
    private Replay part;
    private int next; // of the part
    private Position at; // what it was sent last
    private long left; // messages that may be replayed
    private Held held; // what came since the part was asked for; null while there is another one
    private boolean asking;
    private boolean going;
    private boolean over;

    /**
     * Begins with the first part.
     *
     * @param rooms that it was asked for
     * @param held what came since
     */
    ReplayPump(Client client, Link link, Map<String, Position> rooms, Replay first, Held held) {
        this.client = client;
        this.link = link;
        this.rooms = rooms;
        this.held = held;
        this.left = hub().settings.replay;
        this.at = first.end();
        this.part = first;
        accept(first);
    }

    private Hub hub() {
        return client.namespace().hub;
    }

    /**
     * Reads a part of what a client in {@code rooms} has missed; on a virtual thread.
     *
     * @param most messages
     */
    static Replay read(Client client, Map<String, Position> rooms, Position after, long most) {
        int messages = (int) Math.min(PART, most);
        Broker broker = client.namespace().hub.broker;
        return Hub.await(broker.replay(after, client.audience(rooms), messages, PART_BYTES));
    }

    /** A message for the client has been published. */
    void hold(Delivery delivery) {
        if (!delivery.publication.kept()) { // it is in no replay
            link.send(delivery.plain());
            return;
        }
        if (held == null && hasMoved()) { // those to new rooms are in no part
            held = new Held(hub().settings.budget);
        }
        if (held != null) {
            held.add(delivery);
        }
    }

    /** Whether it has joined or left rooms since it came back. */
    private boolean hasMoved() {
        return client.rooms.joined() != rooms;
    }

    /** Sends as much as the client takes now. */
    void go() {
        if (going) {
            return;
        }
        going = true;
        try {
            while (!over && step()) {
                // the next
            }
        } finally {
            going = false;
        }
    }

    private boolean step() {
        if (asking || !link.session.hasRoom()) {
            return false;
        }
        if (next < part.messages().size()) {
            Replay.Message message = part.messages().get(next++);
            at = message.position();
            if (isStillFor(message.publication())) {
                link.send(new Delivery(at, message.publication()).dated());
            }
            return true;
        }
        if (part.gap() || part.more() && left <= 0) {
            lost();
            return false;
        }
        if (part.more()) {
            return ask();
        }
        Delivery since = held.poll();
        if (since != null) {
            at = since.publication.kept() ? since.position : at;
            link.send(since.dated());
            return true;
        }
        if (held.dropped() > 0) {
            if (hasMoved() || left <= 0) {
                lost();
                return false;
            }
            held = new Held(hub().settings.budget); // it is in the log
            return ask();
        }
        end();
        return false;
    }

    /**
     * A message to a room that it has left and joined again, or to one that it has joined since,
     * may be in a part, too: then it is held no longer, and must not be missing.
     */
    private boolean isStillFor(Publication publication) {
        if (!hasMoved() || publication.rooms().isEmpty()) {
            return true;
        }
        String own = Address.client(client.id());
        Set<String> now = client.rooms();
        return publication.rooms().stream()
                .anyMatch(each -> each.equals(own) || now.contains(each));
    }

    /** Whether it was in a room when it came back, and has not left it since. */
    private boolean isStillIn(String room) {
        Position joined = rooms.get(room);
        return joined != null && joined.equals(client.rooms.joined().get(room));
    }

    /** Whether it goes on at once. */
    private boolean ask() {
        asking = true;
        if (held == null) {
            held = new Held(hub().settings.budget);
        }
        var wanted = new HashMap<>(rooms);
        wanted.keySet().removeIf(room -> !isStillIn(room));
        Position after = part.more() ? part.end() : at;
        long most = left;
        link.session.loop().startVirtual(() -> answer(wanted, after, most));
        return !asking;
    }

    private void answer(Map<String, Position> wanted, Position after, long most) {
        try {
            Replay answer = read(client, wanted, after, most);
            client.life.onPart(this, link, () -> take(answer));
        } catch (RuntimeException e) {
            LOG.get().log(Level.WARNING, "a recovery is broken off: {0}", e);
            client.life.onPart(this, link, link.session::close); // it comes back, and goes on
        }
    }

    private void take(Replay answer) {
        asking = false;
        part = answer;
        next = 0;
        accept(answer);
        go();
    }

    /** All of it that is published again was held by now. */
    private void accept(Replay answer) {
        left -= answer.messages().size();
        if (answer.messages().isEmpty()) {
            at = answer.end();
        }
        if (held.isEmpty()) {
            held = answer.more() && !hasMoved() ? null : held;
            return;
        }
        if (answer.more() && !hasMoved()) {
            for (Delivery each = held.poll(); each != null; each = held.poll()) {
                if (!each.publication.kept()) {
                    link.send(each.plain());
                }
            }
            held = null;
            return;
        }
        var positions = new HashSet<Position>();
        answer.messages().forEach(message -> positions.add(message.position()));
        held.removeAll(positions);
    }

    /** What is missing cannot be sent any more: it goes on with what is published next. */
    private void lost() {
        end();
        client.gapHere(Map.of("lost", true));
    }

    private void end() {
        over = true;
        client.life.caughtUp(this);
    }
}
