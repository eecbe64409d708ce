// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

import io.sirocco.live.log.Log;
import io.sirocco.live.serial.SerialExecutor;
import io.sirocco.net.Clock;
import io.sirocco.net.log.LazyLogger;
import java.lang.System.Logger.Level;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;

/**
 * What {@link MemoryBroker}s of one process share. The order of messages is that of the lock; nodes
 * are called without it, in the same order. Any thread.
 */
final class Memory {
    private static final LazyLogger LOG = LazyLogger.of(MemoryBroker.class);
    private static final int MAX_DELIVERIES = 100_000;

    private final String epoch = HexFormat.of().formatHex(random());
    private final Clock clock;
    private final List<Node> nodes = new CopyOnWriteArrayList<>();
    private final SerialExecutor deliveries = new SerialExecutor(MAX_DELIVERIES, LOG);
    private final Log log;
    private final Semaphore replaying = new Semaphore(1, true); // taken before the lock
    private final Histories histories = new Histories(); // with the lock held, as the next two
    private final Presence presence = new Presence();
    private long last;
    private final Sessions sessions;
    private final SpentTickets tickets;
    private final Counts counts;

    Memory(Depth depth, Clock clock) {
        this.clock = clock;
        this.log = new Log(depth, Memory::number, 0, position(0));
        this.sessions = new Sessions(clock);
        this.tickets = new SpentTickets(clock);
        this.counts = new Counts(clock);
    }

    List<Node> nodes() {
        return nodes;
    }

    Sessions sessions() {
        return sessions;
    }

    Position newest() {
        return log.end();
    }

    Position publish(Publication publication) {
        mustHaveRoom();
        Position position;
        synchronized (this) {
            long number = ++last;
            position = position(number);
            log.add(number, position, publication, millis());
            histories.add(number, new Replay.Message(position, publication), millis());
            Position at = position;
            add(node -> node.deliver(at, publication));
        }
        deliveries.run();
        return position;
    }

    /**
     * Ends when the nodes were told what is in it. Replays wait for each other outside of the lock,
     * so a message that is published waits for one of them, not for a thousand. May park.
     */
    CompletableFuture<Replay> replay(Position after, Audience audience, int messages, long bytes) {
        mustHaveRoom();
        var told = new CompletableFuture<Replay>();
        replaying.acquireUninterruptibly();
        try {
            synchronized (this) {
                log.expire(millis());
                Replay replay = log.replay(after, audience, messages, bytes);
                deliveries.add(() -> told.complete(replay));
            }
        } finally {
            replaying.release();
        }
        deliveries.run();
        return told;
    }

    synchronized Replay history(Room room, Optional<Position> after, int most) {
        long number =
                after.filter(known -> known.epoch().equals(epoch))
                        .map(known -> number(known.offset()))
                        .orElse(-1L);
        boolean known = number >= 0 && number <= last;
        long from = known ? number : -1;
        Histories.Found found = histories.since(room, from, most, millis());
        boolean gap = after.isPresent() && (!known || found.gap());
        return new Replay(found.messages(), gap, position(last));
    }

    synchronized Replay page(Room room, Optional<Position> before, int most, long bytes) {
        long number =
                before.filter(known -> known.epoch().equals(epoch))
                        .map(known -> number(known.offset()))
                        .orElse(-1L);
        boolean gap = before.isPresent() && (number < 0 || number > last);
        long to = before.isEmpty() ? Long.MAX_VALUE : gap ? 0 : number;
        return new Replay(histories.page(room, to, most, bytes, millis()), gap, position(last));
    }

    Optional<Session> take(Node by, String namespace, String pid) {
        Optional<Sessions.Kept> kept = sessions.take(by, namespace, pid);
        kept.map(Sessions.Kept::by)
                .filter(owner -> owner != by)
                .ifPresent(
                        owner ->
                                tell(
                                        node -> {
                                            boolean back = // before it has heard of this
                                                    sessions.isTakenBy(owner, namespace, pid);
                                            if (node == owner && !back) {
                                                node.taken(namespace, pid);
                                            }
                                        }));
        return kept.map(Sessions.Kept::session);
    }

    void join(Node node, Room room, Member member) {
        mustHaveRoom();
        synchronized (this) {
            presence.join(node, room, member).forEach(this::add);
        }
        deliveries.run();
    }

    void leave(Node node, Room room, Member member) {
        synchronized (this) {
            presence.leave(node, room, member.client()).forEach(this::add);
        }
        deliveries.run();
    }

    synchronized List<Member> members(Room room) {
        return presence.members(room);
    }

    boolean spend(String ticket, Duration life) {
        return tickets.spend(ticket, life);
    }

    boolean count(String key, Limit limit) {
        return counts.count(key, limit);
    }

    /** A node is gone, and its members with it. */
    void remove(Node node) {
        nodes.remove(node);
        synchronized (this) {
            presence.leave(node).forEach(this::add);
        }
        deliveries.run();
    }

    /**
     * Says whether more may be put to what nodes are told.
     *
     * @throws BrokerException when the nodes do not keep up
     */
    private void mustHaveRoom() {
        if (!deliveries.hasRoom()) {
            throw new BrokerException(
                    MAX_DELIVERIES
                            + " calls wait for a node of this process that does not keep up.");
        }
    }

    private void tell(Presence.Delivery delivery) {
        add(delivery);
        deliveries.run();
    }

    /** All nodes are told, when {@link SerialExecutor#run} is called without the lock. */
    private void add(Presence.Delivery delivery) {
        deliveries.add(() -> nodes.forEach(node -> tell(node, delivery)));
    }

    private static void tell(Node node, Presence.Delivery delivery) {
        try {
            delivery.to(node);
        } catch (RuntimeException | Error e) { // the other nodes are told all the same
            LOG.get().log(Level.ERROR, "node " + node.id() + " failed at what it was told", e);
        }
    }

    /** The number of an offset; -1 when it is none. */
    private static long number(String offset) {
        return offset.matches("[0-9]{1,18}") ? Long.parseLong(offset) : -1;
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
