// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.redis;

import io.sirocco.net.log.LazyLogger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * One connection that answers calls. Its thread takes all that waits, sends it in one go, reads the
 * answers, and begins again: so a call waits for two round trips at most, and a thousand of them
 * cost no more than one. When the connection is lost, what was not answered is sent again on the
 * next; what may not be done twice is recognised by the scripts.
 *
 * <p>A call that is not answered when its time is over fails, and the connection with it. Whether a
 * message that failed so is in the log is asked on the next connection, before all else; one that
 * is not will not be, whatever the server still reads of the last connection. Any thread, but for
 * {@link #run}.
 */
final class Link implements Runnable {
    private static final LazyLogger LOG = LazyLogger.of(RedisBroker.class);
    private static final int MAX = 1_000; // calls in one go
    private static final long MAX_BYTES = 1 << 20;
    private static final int MAX_BATCHES = 8; // the server remembers as many: publish.lua

    private final Terms terms;
    private final Queue queue;
    private final Framer framer;
    private volatile List<Frame> flying = List.of();
    private volatile Wire wire = new Wire();
    private volatile boolean closed;
    private volatile Thread thread;
    private boolean lost; // and said so

    Link(Terms terms, Framer framer) {
        this.terms = terms;
        this.framer = framer;
        this.queue = new Queue(terms.waiting(), terms.waitingBytes());
    }

    void add(Work work) {
        queue.add(work);
    }

    @Override
    public void run() {
        thread = Thread.currentThread();
        var backoff = new Backoff();
        while (!closed) {
            try {
                converse(backoff);
            } catch (JedisException e) {
                wire.cut();
                tell(e);
                LockSupport.parkNanos(backoff.failed().toNanos());
            } catch (InterruptedException e) {
                break; // closed
            } catch (RuntimeException | Error e) { // this thread must not end: calls would wait
                wire.cut();
                LOG.get().log(Level.ERROR, "a connection failed, and is made anew", e);
                LockSupport.parkNanos(backoff.failed().toNanos());
            }
        }
        wire.cut();
        queue.close().forEach(Link::closed);
        flying.forEach(frame -> frame.works().forEach(Link::lost));
    }

    /** Fails what is overdue. */
    void tick(long now) {
        queue.overdue(now).forEach(work -> work.fail(late(), null));
        boolean stuck = false;
        for (Frame frame : flying) {
            for (Work work : frame.works()) {
                if (now - work.deadline() >= 0 && !work.stage().isDone()) {
                    work.giveUp(late());
                    stuck = true;
                }
            }
        }
        if (stuck) {
            wire.cut();
        }
    }

    /** Ends it; what waits fails. */
    void close() {
        closed = true;
        queue.close().forEach(Link::closed);
        wire.cut();
        Thread running = thread;
        if (running != null) {
            running.interrupt();
        }
    }

    private void converse(Backoff backoff) throws InterruptedException {
        var next = new Wire();
        wire = next;
        if (closed) {
            return;
        }
        next.open(terms, terms.deadline());
        next.teach();
        if (lost) {
            lost = false;
            LOG.get().log(Level.INFO, "{0} is there again", terms.door());
        }
        while (!closed) {
            if (flying.isEmpty()) {
                flying = framer.frame(queue.take(MAX, MAX_BYTES, Queue.second()));
            }
            flying = framer.open(flying);
            exchange(next);
            flying = List.of();
            backoff.succeeded();
        }
    }

    /** Sends all, and reads the answers; after some batches these come first. */
    private void exchange(Wire wire) {
        List<Frame> all = flying;
        for (int from = 0; from < all.size(); ) {
            int to = from;
            for (int batches = 0; to < all.size() && batches < MAX_BATCHES; to++) {
                batches += all.get(to).isRemembered() ? 1 : 0;
            }
            exchange(wire, all.subList(from, to));
            from = to;
        }
    }

    private static void exchange(Wire wire, List<Frame> sent) {
        for (Frame frame : sent) {
            wire.send(frame.command(), frame.arguments());
        }
        List<JedisDataException> passing = new ArrayList<>();
        for (Frame frame : sent) {
            Object reply = wire.receive();
            if (!(reply instanceof JedisDataException refusal)) {
                frame.answer(reply);
            } else if (passes(refusal)) {
                passing.add(refusal);
            } else {
                frame.refused(refusal);
            }
        }
        if (!passing.isEmpty()) {
            throw new JedisException(passing.getFirst()); // what was answered is not sent again
        }
    }

    /** Whether another connection, or another moment, may do better. */
    private static boolean passes(JedisDataException refusal) {
        String message = String.valueOf(refusal.getMessage());
        return message.startsWith("NOSCRIPT")
                || message.startsWith("LOADING")
                || message.startsWith("BUSY")
                || message.startsWith("MASTERDOWN")
                || message.startsWith("READONLY");
    }

    private void tell(JedisException e) {
        if (!lost && !closed) {
            lost = true;
            LOG.get().log(Level.WARNING, terms.door() + " is not to be reached: " + e.getMessage());
        }
    }

    private String late() {
        return "%s has not answered within %d ms."
                .formatted(terms.door(), terms.deadline().toMillis());
    }

    private static void closed(Work work) {
        work.fail("The broker was closed.", null);
    }

    /** It was on its way when the broker was closed. */
    private static void lost(Work work) {
        work.giveUp("The broker was closed.");
        if (work instanceof Work.Post post) {
            post.unknown();
        }
    }
}
