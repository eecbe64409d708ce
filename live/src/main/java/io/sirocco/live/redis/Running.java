// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.redis;

import io.sirocco.live.broker.Audience;
import io.sirocco.live.broker.Limit;
import io.sirocco.live.broker.Member;
import io.sirocco.live.broker.Node;
import io.sirocco.live.broker.Position;
import io.sirocco.live.broker.Publication;
import io.sirocco.live.broker.Replay;
import io.sirocco.live.broker.Room;
import io.sirocco.live.broker.Session;
import io.sirocco.live.log.Log;
import io.sirocco.net.log.LazyLogger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import redis.clients.jedis.Protocol.Command;

/**
 * A {@link RedisBroker} that was started. Four connections, each with a thread: one for what is
 * written, one for what is asked, one that renews sessions, so that messages do not wait for those,
 * one that reads the log; and a thread that looks at deadlines. Any thread.
 */
final class Running {
    private static final LazyLogger LOG = LazyLogger.of(RedisBroker.class);
    private static final Duration LATELY = Duration.ofMinutes(1);
    private static final long GOODBYE_MILLIS = 1_000;

    /** Before the log was read. */
    static final Position NOWHERE = new Position("0", "0");

    private final Terms terms;
    private final Calls calls;
    private final Log log;
    private final Waiters waiters;
    private final Link writes;
    private final Link reads;
    private final Link renewals;
    private final Reader reader;
    private final Roster roster;
    private volatile List<Thread> threads = List.of();
    private volatile boolean closed;

    Running(Terms terms, Node node) {
        this.terms = terms;
        this.calls = new Calls(terms, node.id());
        this.log = new Log(terms.depth(), Offset::number, 0, NOWHERE);
        this.waiters = new Waiters(terms.waiting());
        this.reader = new Reader(terms, calls, log, waiters, node);
        this.writes = new Link(terms, new Framer(calls, reader::reading));
        this.reads = new Link(terms, new Framer(calls, reader::reading));
        this.renewals = new Link(terms, new Framer(calls, reader::reading));
        this.roster = new Roster(terms, calls, writes, reader::heard);
    }

    void open() {
        reader.open();
    }

    void start() {
        threads =
                List.of(
                        thread("write", writes),
                        thread("ask", reads),
                        thread("renew", renewals),
                        thread("read", reader),
                        thread("clock", this::clock));
        threads.forEach(Thread::start);
    }

    CompletableFuture<Position> publish(Publication publication) {
        Work.Post post = calls.post(publication);
        writes.add(post);
        return post.stage();
    }

    Position newest() {
        return reader.reading();
    }

    CompletableFuture<Replay> replay(Position after, Audience audience, int messages, long bytes) {
        Work.Ask<Long> newest =
                calls.ask(Command.HGET, Answers::number, calls.key("meta"), Calls.bytes("n"));
        reads.add(newest);
        return newest.stage()
                .thenCompose(number -> waiters.until(number, newest.deadline()))
                .thenApply(read -> log.replay(after, audience, messages, bytes));
    }

    CompletableFuture<Replay> history(Room room, Optional<Position> after, int most) {
        Optional<String> offset =
                after.flatMap(position -> Offset.parse(position.offset())).map(Offset::toString);
        boolean nonsense = after.isPresent() && offset.isEmpty();
        return ask(
                reads,
                calls.script(
                        Script.HISTORY,
                        reply -> Answers.history(reply, nonsense),
                        List.of(
                                Calls.unique(),
                                Names.of(room),
                                Calls.bytes(after.map(Position::epoch).orElse("")),
                                Calls.bytes(offset.orElse("")),
                                Calls.bytes(most))));
    }

    CompletableFuture<Replay> page(Room room, Optional<Position> before, int most, long bytes) {
        Optional<String> offset =
                before.flatMap(position -> Offset.parse(position.offset())).map(Offset::toString);
        boolean nonsense = before.isPresent() && offset.isEmpty();
        return ask(
                reads,
                calls.script(
                        Script.PAGE,
                        reply -> Answers.history(reply, nonsense),
                        List.of(
                                Calls.unique(),
                                Names.of(room),
                                Calls.bytes(before.map(Position::epoch).orElse("")),
                                Calls.bytes(offset.orElse(nonsense ? "0-0" : "")),
                                Calls.bytes(most),
                                Calls.bytes(bytes))));
    }

    CompletableFuture<Void> keep(Session session, Duration life) {
        return ask(
                writes,
                calls.script(
                        Script.KEEP,
                        reply -> null,
                        List.of(
                                calls.node(),
                                Names.of(session.namespace(), session.pid()),
                                Calls.bytes(session.version()),
                                SessionForm.write(session),
                                millis(life))));
    }

    CompletableFuture<Boolean> change(Session.Change change, Duration life) {
        return ask(
                writes,
                calls.script(
                        Script.CHANGE,
                        reply -> (Long) reply == 1,
                        List.of(
                                calls.node(),
                                Names.of(change.namespace(), change.pid()),
                                Calls.bytes(change.base()),
                                Calls.bytes(change.version()),
                                SessionForm.write(change),
                                millis(life))));
    }

    CompletableFuture<List<String>> renew(String namespace, List<String> pids, Duration life) {
        List<byte[]> arguments = new ArrayList<>(pids.size() + 2);
        arguments.add(calls.node());
        arguments.add(millis(life));
        pids.forEach(pid -> arguments.add(Names.of(namespace, pid)));
        return ask(
                renewals,
                calls.script(Script.RENEW, reply -> Answers.missing(reply, pids), arguments));
    }

    CompletableFuture<Optional<Session>> take(String namespace, String pid) {
        return ask(
                writes,
                calls.script(
                        Script.TAKE,
                        reply -> taken(namespace, pid, reply),
                        List.of(
                                Calls.unique(),
                                calls.node(),
                                Names.of(namespace, pid),
                                Calls.unique(),
                                Entry.taken(namespace, pid),
                                millis(LATELY))));
    }

    private Optional<Session> taken(String namespace, String pid, Object reply) {
        if (reply == null) {
            return Optional.empty();
        }
        List<?> parts = (List<?>) reply;
        reader.tookBack(namespace, pid, Answers.number(parts.get(1)));
        return SessionForm.read((byte[]) parts.get(0));
    }

    CompletableFuture<Void> forget(String namespace, String pid) {
        return ask(
                writes,
                calls.script(
                        Script.FORGET,
                        reply -> null,
                        List.of(calls.node(), Names.of(namespace, pid))));
    }

    Roster roster() {
        return roster;
    }

    CompletableFuture<List<Member>> members(Room room) {
        return ask(
                reads,
                calls.ask(Command.HVALS, Answers::members, calls.key("room", Names.of(room))));
    }

    CompletableFuture<Boolean> spend(String ticket, Duration life) {
        List<byte[]> arguments = List.of(Calls.bytes(ticket), Calls.unique(), millis(life));
        return ask(writes, calls.script(Script.SPEND, reply -> (Long) reply == 1, arguments));
    }

    CompletableFuture<Boolean> count(String key, Limit limit) {
        return switch (limit) {
            case Limit.Bucket(int count, Duration per) -> count(Script.BUCKET, key, count, per);
            case Limit.UntilSilence(int count, Duration silence) ->
                    count(Script.SILENCE, key, count, silence);
        };
    }

    void close() {
        closed = true;
        reader.close();
        try {
            roster.bye().get(GOODBYE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // the lease ends
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        writes.close();
        reads.close();
        renewals.close();
        waiters.close();
        for (Thread thread : threads) {
            join(thread);
        }
    }

    private static void join(Thread thread) {
        try {
            if (thread != Thread.currentThread()) {
                thread.join(GOODBYE_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void clock() {
        long pause = Math.clamp(terms.deadline().toNanos() / 20, 5_000_000, 100_000_000);
        long every = terms.lease().toNanos() / 3;
        long next = System.nanoTime();
        while (!closed) {
            long now = System.nanoTime();
            try {
                writes.tick(now);
                reads.tick(now);
                renewals.tick(now);
                waiters.tick(now);
                if (now - next >= 0) {
                    next = now + every;
                    roster.beat();
                }
            } catch (RuntimeException | Error e) { // this thread must not end: no deadline is kept
                LOG.get().log(Level.ERROR, "a deadline could not be looked after", e);
            }
            LockSupport.parkNanos(pause);
        }
    }

    private CompletableFuture<Boolean> count(Script script, String key, int count, Duration time) {
        List<byte[]> arguments = List.of(Calls.bytes(key), Calls.bytes(count), millis(time));
        return ask(writes, calls.script(script, reply -> (Long) reply == 1, arguments));
    }

    private static <T> CompletableFuture<T> ask(Link link, Work.Ask<T> ask) {
        link.add(ask);
        return ask.stage();
    }

    private static byte[] millis(Duration time) {
        return Calls.bytes(Math.max(1, time.toMillis()));
    }

    private static Thread thread(String name, Runnable run) {
        return Thread.ofPlatform().daemon().name("sirocco-broker-" + name).unstarted(run);
    }
}
