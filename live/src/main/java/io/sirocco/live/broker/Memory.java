// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

import io.sirocco.live.log.Audience;
import io.sirocco.live.log.Log;
import io.sirocco.net.Clock;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * What {@link MemoryBroker}s of one process share. The order of messages is that of the lock; nodes
 * are called without it, by {@link Deliveries}. Any thread.
 */
final class Memory {
    private final String epoch = HexFormat.of().formatHex(random());
    private final Clock clock;
    private final Deliveries deliveries = new Deliveries();
    private final Log log;
    private final Histories histories = new Histories(); // with the lock held, as the next two
    private final Presence presence = new Presence();
    private long last;
    private final Sessions sessions;
    private final Expiring<String, Boolean> tickets;
    private final Counts counts;

    Memory(Depth depth, Clock clock) {
        this.clock = clock;
        this.log = new Log(depth, 0, position(0));
        this.sessions = new Sessions(clock);
        this.tickets = new Expiring<>(clock, "spent tickets");
        this.counts = new Counts(clock);
    }

    List<Node> nodes() {
        return deliveries.nodes();
    }

    Sessions sessions() {
        return sessions;
    }

    Position publish(Publication publication) {
        deliveries.mustHaveRoom();
        Position position;
        synchronized (this) {
            long number = ++last;
            position = position(number);
            log.add(number, position, publication, millis());
            histories.add(number, new Replay.Message(position, publication), millis());
            Position at = position;
            deliveries.add(node -> node.deliver(at, publication));
        }
        deliveries.run();
        return position;
    }

    /** Ends when the nodes were told what is in it. */
    CompletableFuture<Replay> replay(Position after, Audience audience, int most) {
        OptionalLong number = number(after);
        if (number.isEmpty()) {
            return CompletableFuture.completedFuture(log.gap());
        }
        deliveries.mustHaveRoom();
        var told = new CompletableFuture<Replay>();
        synchronized (this) {
            log.expire(millis());
            Replay replay = log.since(epoch, number.getAsLong(), audience, most);
            deliveries.addBehind(() -> told.complete(replay));
        }
        deliveries.run();
        return told;
    }

    synchronized Replay history(Room room, Optional<Position> after, int most) {
        OptionalLong number = after.map(this::number).orElse(OptionalLong.of(-1));
        boolean known = number.isPresent() && number.getAsLong() <= last;
        long from = known ? number.getAsLong() : -1;
        Histories.Found found = histories.since(room, from, most, millis());
        boolean gap = after.isPresent() && (!known || found.gap());
        return new Replay(found.messages(), gap, position(last));
    }

    Optional<Session> take(Node by, String namespace, String pid) {
        Optional<Sessions.Kept> kept = sessions.take(by, namespace, pid);
        kept.map(Sessions.Kept::by)
                .filter(owner -> owner != by)
                .ifPresent(
                        owner ->
                                tell(
                                        node -> {
                                            if (node == owner) {
                                                node.taken(namespace, pid);
                                            }
                                        }));
        return kept.map(Sessions.Kept::session);
    }

    void join(Node node, Room room, Member member) {
        deliveries.mustHaveRoom();
        synchronized (this) {
            presence.join(node, room, member).forEach(deliveries::add);
        }
        deliveries.run();
    }

    void leave(Node node, Room room, Member member) {
        synchronized (this) {
            presence.leave(node, room, member.client()).forEach(deliveries::add);
        }
        deliveries.run();
    }

    synchronized List<Member> members(Room room) {
        return presence.members(room);
    }

    boolean spend(String ticket, Duration life) {
        return tickets.putIfAbsent(ticket, true, life).isEmpty();
    }

    boolean count(String key, Limit limit) {
        return counts.count(key, limit);
    }

    /** A node is gone, and its members with it. */
    void remove(Node node) {
        deliveries.nodes().remove(node);
        synchronized (this) {
            presence.leave(node).forEach(deliveries::add);
        }
        deliveries.run();
    }

    private void tell(Deliveries.Delivery delivery) {
        deliveries.add(delivery);
        deliveries.run();
    }

    private OptionalLong number(Position position) {
        if (!position.epoch().equals(epoch) || !position.offset().matches("[0-9]{1,18}")) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(Long.parseLong(position.offset()));
    }

    private Position position(long number) {
        return new Position(epoch, Long.toString(number));
    }

    private long millis() {
        return Math.floorDiv(clock.nanos(), 1_000_000);
    }

    private static byte[] random() {
        byte[] bytes = new byte[8];
        new SecureRandom().nextBytes(bytes);
        return bytes;
    }
}
