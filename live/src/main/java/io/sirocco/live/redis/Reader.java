// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.redis;

import io.sirocco.live.broker.BrokerException;
import io.sirocco.live.broker.Node;
import io.sirocco.live.broker.Position;
import io.sirocco.live.log.Log;
import io.sirocco.net.log.LazyLogger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisClusterException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.exceptions.JedisRedirectionException;

/**
 * Reads the log, entry by entry, and tells the node. It asks for as many as come to some {@link
 * #CHUNK} by the size of the last ones, and for more when these are delivered: so a node that is
 * slow holds little memory, and falls behind in the log instead. Entries are numbered without a
 * hole; where one is missing, {@code attach.lua} says why, and the node has a gap. Its own thread,
 * but for what says otherwise.
 */
final class Reader implements Runnable {
    private static final LazyLogger LOG = LazyLogger.of(RedisBroker.class);
    private static final long CHUNK = 1 << 20;
    private static final int MAX = 1_000;
    private static final long NEVER = 999_999_999_999_999L; // a number that no entry has
    private static final Duration WAIT = Duration.ofSeconds(1);

    private final Terms terms;
    private final Calls calls;
    private final Log log;
    private final Waiters waiters;
    private final Teller teller;
    private final Returns returns = new Returns();
    private volatile Wire wire = new Wire();
    private volatile boolean closed;
    private volatile String epoch = "";
    private volatile Position reading = Running.NOWHERE; // told to the node, or about to be
    private volatile boolean doubtful; // the place may be another
    private boolean unsure; // something may have been lost on its way to the node
    private Offset at = new Offset(0, 0);
    private long average = 500; // bytes of an entry

    Reader(Terms terms, Calls calls, Log log, Waiters waiters, Node node) {
        this.terms = terms;
        this.calls = calls;
        this.log = log;
        this.waiters = waiters;
        this.teller = new Teller(node);
    }

    /**
     * Connects, finds the end of the log, and fills {@link Log} with what is before it. The thread
     * of the start.
     */
    void open() {
        try {
            connect();
            Place place = attach();
            epoch = place.epoch();
            recall(place.offset());
            reading = at.in(epoch);
        } catch (JedisException e) {
            wire.cut();
            throw new BrokerException(refusal(e), e);
        }
    }

    private String refusal(JedisException e) {
        String said = String.valueOf(e.getMessage());
        boolean cluster =
                e instanceof JedisClusterException || e instanceof JedisRedirectionException;
        return cluster || said.contains("non local key")
                ? terms.door() + " is of a Redis Cluster, which is not supported: " + said
                : terms.door() + " is not to be reached: " + said;
    }

    @Override
    public void run() {
        var backoff = new Backoff();
        boolean connected = true;
        while (!closed) {
            try {
                if (!connected) {
                    connect();
                    find();
                    connected = true;
                }
                read();
                backoff.succeeded();
            } catch (JedisException e) {
                connected = false;
                wire.cut();
                LOG.get().log(Level.DEBUG, "reads no more for now: " + e.getMessage());
                LockSupport.parkNanos(backoff.failed().toNanos());
            } catch (RuntimeException | Error e) { // this thread must not end: nobody would know
                connected = false;
                wire.cut();
                LOG.get().log(Level.ERROR, "the log could not be read", e);
                unsure = true; // whether the last entry was told
                LockSupport.parkNanos(backoff.failed().toNanos());
            }
        }
        wire.cut();
    }

    /** The epoch is another, somebody has heard. Any thread. */
    void heard(String other) {
        if (!other.equals(epoch)) {
            doubtful = true;
        }
    }

    /** This node has a session again, since {@code number} was the newest. Any thread. */
    void tookBack(String namespace, String pid, long number) {
        returns.add(namespace, pid, number);
    }

    /** The place that the node has been told of, or is being told of. Any thread. */
    Position reading() {
        return reading;
    }

    /** Any thread. */
    void close() {
        closed = true;
        wire.cut();
    }

    private void connect() {
        var next = new Wire();
        wire = next;
        if (closed) {
            throw new JedisException("closed");
        }
        next.open(terms, WAIT.plus(terms.deadline()));
        next.teach();
    }

    private void read() {
        if (doubtful) {
            doubtful = false;
            find();
        }
        int count = Math.clamp(CHUNK / average, 8, MAX);
        List<Found> found = Found.of(wire.ask(Command.XREAD, next(count)));
        if (found.isEmpty()) {
            return;
        }
        long size = 0;
        for (Found entry : found) {
            if (closed) {
                return;
            }
            if (entry.offset().number() != at.number() + 1) {
                leap();
                return;
            }
            size += entry.payload().length + 100;
            take(entry);
        }
        average = Math.max(1, size / found.size());
        returns.reached(at.number());
        waiters.reached(at.number());
    }

    private byte[][] next(int count) {
        return new byte[][] {
            Calls.bytes("COUNT"),
            Calls.bytes(count),
            Calls.bytes("BLOCK"),
            Calls.bytes(WAIT.toMillis()),
            Calls.bytes("STREAMS"),
            calls.key("log"),
            Calls.bytes(at)
        };
    }

    /**
     * Goes on with one. The node hears of it before it is in the log, and those who ask for a
     * replay wait until it is: so what they are given was delivered before, and nothing is given
     * later that they had.
     */
    private void take(Found found) {
        at = found.offset();
        Entry entry = found.entry();
        if (entry instanceof Entry.Begun begun) {
            restart(begun.epoch(), "the broker has lost its newest messages");
            return;
        }
        Position position = at.in(epoch);
        reading = position;
        if (found.isFor(calls.node())) {
            tell(position, entry);
        }
        if (entry instanceof Entry.Said said) {
            log.add(at.number(), position, said.publication(), at.millis());
        } else {
            log.pass(at.number(), position);
        }
    }

    private void tell(Position position, Entry entry) {
        if (entry instanceof Entry.Taken(String namespace, String pid)) {
            returns.taken(namespace, pid, at.number(), () -> teller.tell(position, entry));
        } else {
            teller.tell(position, entry);
        }
    }

    /** Where to go on, when the connection or an entry was missing. */
    private void find() {
        Place place = attach();
        at = place.offset(); // which has been read, or a restart follows
        if (!place.missing().isEmpty()) {
            unsure = false;
            restart(place.epoch(), place.missing());
        } else if (unsure) {
            unsure = false;
            restart(epoch, "this node has failed at a message");
        }
    }

    /** The next entry is another than the one that follows. */
    private void leap() {
        Offset before = at;
        find();
        if (at.equals(before)) { // nothing explains that: the numbers are worth nothing any more
            at = new Offset(before.millis(), NEVER);
            find(); // which begins another epoch
        }
    }

    private void restart(String epoch, String why) {
        this.epoch = epoch;
        reading = at.in(epoch);
        log.restart(at.number(), reading);
        returns.restart(at.number());
        waiters.reached(Long.MAX_VALUE); // whom it concerns sees the other epoch
        waiters.reached(at.number());
        teller.gap(why);
    }

    private record Place(String epoch, Offset offset, String missing) {}

    private Place attach() {
        List<byte[]> arguments =
                epoch.isEmpty()
                        ? List.of(Calls.unique(), new byte[0], new byte[0])
                        : List.of(Calls.unique(), Calls.bytes(epoch), Calls.bytes(at));
        List<?> reply = (List<?>) wire.ask(Command.EVALSHA, calls.run(Script.ATTACH, arguments));
        return new Place(
                Answers.text(reply.get(0)),
                Offset.of((byte[]) reply.get(1)),
                Answers.text(reply.get(2)));
    }

    /** Reads what there is up to {@code end}, and says nothing of it. */
    private void recall(Offset end) {
        byte[] from = Calls.bytes("-");
        boolean first = true;
        while (true) {
            int count = Math.clamp(CHUNK / average, 8, MAX);
            byte[][] range = {
                calls.key("log"), from, Calls.bytes(end), Calls.bytes("COUNT"), Calls.bytes(count)
            };
            List<Found> found = Found.entries(wire.ask(Command.XRANGE, range));
            long size = 0;
            for (Found entry : found) {
                size += entry.payload().length + 100;
                Offset offset = entry.offset();
                if (first || offset.number() != at.number() + 1) {
                    log.restart(offset.number() - 1, offset.in(epoch)); // trimmed meanwhile
                    first = false;
                }
                at = offset;
                switch (entry.entry()) {
                    case Entry.Said said ->
                            log.add(at.number(), at.in(epoch), said.publication(), at.millis());
                    case Entry.Begun begun -> log.restart(at.number(), at.in(epoch));
                    default -> log.pass(at.number(), at.in(epoch));
                }
            }
            if (found.size() < count) {
                break;
            }
            average = Math.max(1, size / found.size());
            from = Calls.bytes("(" + at);
        }
        if (!at.equals(end)) { // nothing is left of it
            at = end;
            log.restart(at.number(), at.in(epoch));
        }
        waiters.reached(at.number());
    }
}
