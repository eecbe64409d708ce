// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sirocco.live.broker.Member;
import io.sirocco.live.broker.Room;
import io.sirocco.net.log.LazyLogger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import redis.clients.jedis.Protocol.Command;

/**
 * Which clients of this node are in rooms, and that the server knows them: it is told of each
 * change, and with each beat of the lease it says how many it knows. Where that is another number
 * (the lease was lost, the server has forgotten, a change has failed), both are compared and made
 * the same. Any thread: changes, and what is asked about them, are put into the queue in one order,
 * that of the lock.
 */
final class Roster {
    private static final LazyLogger LOG = LazyLogger.of(RedisBroker.class);
    private static final int MANY = 200; // in one call
    private static final long MAX_SKEW_MILLIS = 30_000; // of two nodes that is a minute: Tickets

    private record Seat(Room room, Member member) {}

    private final Terms terms;
    private final Calls calls;
    private final Link link;
    private final Consumer<String> epochs;
    private final Map<String, Seat> seats = new LinkedHashMap<>(); // by the field of PREFIX:node
    private boolean doubtful; // a change has failed
    private boolean skewed; // and said so; the thread of the connection
    private CompletableFuture<?> beat = CompletableFuture.completedFuture(null);

    Roster(Terms terms, Calls calls, Link link, Consumer<String> epochs) {
        this.terms = terms;
        this.calls = calls;
        this.link = link;
        this.epochs = epochs;
    }

    synchronized CompletionStage<Void> join(Room room, Member member) {
        var seat = new Seat(room, member);
        seats.put(field(room, member), seat);
        return send(Script.JOIN, joins(List.of(seat)));
    }

    synchronized CompletionStage<Void> leave(Room room, Member member) {
        String field = field(room, member);
        seats.remove(field);
        return send(Script.LEAVE, leaves(List.of(field)));
    }

    /** Renews the lease, unless that is under way. */
    synchronized CompletableFuture<Void> beat() {
        if (!beat.isDone()) {
            return CompletableFuture.completedFuture(null);
        }
        List<byte[]> arguments = new ArrayList<>(head());
        arguments.add(lease());
        arguments.addAll(calls.depth());
        int known = seats.size();
        Work.Ask<List<?>> ask =
                calls.script(Script.BEAT, reply -> (List<?>) reply, List.copyOf(arguments));
        beat = ask.stage();
        link.add(ask);
        return ask.stage().thenAccept(reply -> beaten(reply, known));
    }

    /** Leaves all rooms. */
    synchronized CompletableFuture<Void> bye() {
        seats.clear();
        return send(Script.BYE, head());
    }

    private void beaten(List<?> reply, int known) {
        epochs.accept(Answers.text(reply.get(0)));
        compareClocks(Answers.number(reply.get(3)));
        if ((Long) reply.get(1) != known || isDoubtful()) {
            compare();
        }
        if ((Long) reply.get(2) > 0) {
            beat(); // another node is dead, and has more clients
        }
    }

    /** Says so once when the clock of this node is another: tickets and tokens go by it. */
    private void compareClocks(long server) {
        long ahead = System.currentTimeMillis() - server;
        boolean wrong = Math.abs(ahead) > MAX_SKEW_MILLIS;
        if (wrong && !skewed) {
            LOG.get()
                    .log(
                            Level.WARNING,
                            "The clock of this node is {0} s ahead of the broker''s (behind, if"
                                    + " negative): set both by NTP, or tickets that were spent may be"
                                    + " accepted again, and good ones refused.",
                            ahead / 1_000);
        }
        skewed = wrong;
    }

    private synchronized boolean isDoubtful() {
        return doubtful;
    }

    private synchronized void doubt() {
        doubtful = true;
    }

    private void compare() {
        Work.Ask<List<?>> ask =
                calls.ask(Command.HKEYS, reply -> (List<?>) reply, calls.key("node", calls.node()));
        ask.stage().thenAccept(this::correct);
        link.add(ask);
    }

    private synchronized void correct(List<?> fields) {
        doubtful = false;
        Set<String> there = new HashSet<>();
        fields.forEach(field -> there.add(new String((byte[]) field, ISO_8859_1)));
        List<Seat> missing = new ArrayList<>();
        seats.forEach(
                (field, seat) -> {
                    if (!there.contains(field)) {
                        missing.add(seat);
                    }
                });
        there.removeAll(seats.keySet());
        List<String> ghosts = List.copyOf(there);
        if (missing.isEmpty() && ghosts.isEmpty()) {
            return;
        }
        LOG.get()
                .log(
                        Level.INFO,
                        "members of rooms: {0} were missing, {1} too many",
                        missing.size(),
                        ghosts.size());
        for (int i = 0; i < missing.size(); i += MANY) {
            send(Script.JOIN, joins(missing.subList(i, Math.min(missing.size(), i + MANY))));
        }
        for (int i = 0; i < ghosts.size(); i += MANY) {
            send(Script.LEAVE, leaves(ghosts.subList(i, Math.min(ghosts.size(), i + MANY))));
        }
    }

    private List<byte[]> joins(List<Seat> all) {
        List<byte[]> arguments = new ArrayList<>(head());
        arguments.add(lease());
        for (Seat seat : all) {
            arguments.add(Names.of(seat.room));
            arguments.add(Calls.bytes(seat.member.client()));
            arguments.add(Calls.bytes(seat.member.identity()));
            arguments.add(Entry.member(seat.room, seat.member));
        }
        return arguments;
    }

    private List<byte[]> leaves(List<String> fields) {
        List<byte[]> arguments = new ArrayList<>(head());
        fields.forEach(field -> arguments.add(field.getBytes(ISO_8859_1)));
        return arguments;
    }

    private List<byte[]> head() {
        return List.of(Calls.unique(), calls.node());
    }

    private byte[] lease() {
        return Calls.bytes(terms.lease().toMillis());
    }

    private CompletableFuture<Void> send(Script script, List<byte[]> arguments) {
        Work.Ask<Void> ask = calls.script(script, reply -> null, arguments);
        ask.stage()
                .whenComplete(
                        (done, failed) -> {
                            if (failed != null) {
                                doubt();
                            }
                        });
        link.add(ask);
        return ask.stage();
    }

    private static String field(Room room, Member member) {
        return new String(Names.of(Names.of(room), member.client()), ISO_8859_1);
    }
}
