// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import io.sirocco.bench.AnswerReader;
import io.sirocco.net.Connection;
import io.sirocco.net.Destination;
import io.sirocco.net.Loop;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The connections of one loop: opens them at the pace of the ramp, tells them when to ask, and
 * opens again what was lost. Loop-confined.
 */
final class Keeper {
    /** Failures to connect in a row, after which a connection is given up. */
    static final int TRIES = 3;

    private static final long AGAIN_MILLIS = 1_000;

    /** Nanoseconds between two looks at the ramp: what is due then is opened together. */
    private static final long STEP = 2_000_000;

    final Loop loop;
    final Share share;
    final DueQueue queue;
    private final Question question;
    private final List<Destination> destinations;
    private final SplittableRandom random;
    private final Ramp ramp;
    private final long began;
    private final ArrayDeque<Held> again = new ArrayDeque<>(); // to be opened once more
    private final ArrayDeque<AnswerReader> readers = new ArrayDeque<>(); // as many as were busy
    private final Tally tally = new Tally();
    private int begun;
    private int opening;
    private int alive;
    private int busy;
    private boolean lastWasNew;
    private int settled;
    private int hopeless;
    private long openMillis = -1;
    private String refusal;
    private boolean asking = true;
    private boolean awaited;

    /** Begins to open them. */
    Keeper(Loop loop, Share share) {
        this.loop = loop;
        this.share = share;
        this.queue = new DueQueue(loop);
        this.question = share.question();
        this.random = new SplittableRandom(share.first());
        this.began = loop.clock().nanos();
        this.ramp = new Ramp(share.ramp(), began);
        Destination to = Destination.of(share.server()).withTimeout(share.timeoutMillis());
        this.destinations =
                share.sources().isEmpty()
                        ? List.of(to)
                        : share.sources().stream()
                                .map(source -> to.withSource(InetAddress.ofLiteral(source)))
                                .toList();
        openMore();
    }

    /** No one asks any more, and what is lost stays lost. */
    void rest() {
        asking = false;
    }

    boolean asking() {
        return asking;
    }

    /** What has happened so far; the latencies since the last call. */
    Report report() {
        return new Report(
                share.connections(),
                alive,
                busy,
                settled,
                hopeless,
                openMillis,
                tally.bodyLength(),
                tally.counts(),
                refusal,
                usedHeap(),
                tally.takeLatency());
    }

    private static long usedHeap() {
        Runtime jvm = Runtime.getRuntime();
        return jvm.totalMemory() - jvm.freeMemory();
    }

    // ---- opening

    private void openMore() {
        long now = loop.clock().nanos();
        while (mayOpen() && ramp.take(now)) {
            opening++;
            // in turns: a server that loses each connection at once must not keep the others
            // waiting
            boolean another = begun < share.connections() && (again.isEmpty() || !lastWasNew);
            lastWasNew = another;
            (another ? next() : again.poll()).connect();
        }
        if (mayOpen() && !awaited) {
            awaited = true;
            loop.scheduleAt(
                    Math.max(ramp.next(), now + STEP),
                    () -> {
                        awaited = false;
                        openMore();
                    });
        }
    }

    private boolean mayOpen() {
        boolean unopened = begun < share.connections() || !again.isEmpty();
        return unopened && asking && opening < share.opening();
    }

    private Held next() {
        int number = share.first() + begun++;
        return new Held(this, destinations.get(number % destinations.size()));
    }

    /** Returns whether it shall ask. */
    boolean connected(Held held) {
        opening--;
        alive++;
        tally.connected++;
        settle(held);
        openMore();
        return asking;
    }

    void notConnected(Held held, IOException why) {
        opening--;
        tally.unopened++;
        if (refusal == null) {
            refusal = why.getMessage();
        }
        if (!share.reopen() || held.failedAgain() >= TRIES) {
            giveUp(held);
        } else {
            loop.schedule(AGAIN_MILLIS, () -> openAgain(held));
        }
        openMore();
    }

    private void openAgain(Held held) {
        again.add(held);
        openMore();
    }

    private void giveUp(Held held) {
        hopeless++;
        settle(held);
    }

    private void settle(Held held) {
        if (held.settle() && ++settled == share.connections()) {
            openMillis = (loop.clock().nanos() - began) / 1_000_000;
        }
    }

    // ---- asking

    /** Asks; returns the length of the body that is to come, -1 for that of the first one. */
    int ask(Connection connection) {
        busy++;
        int length = share.length().map(span -> (int) span.pick(random)).orElse(-1);
        question.write(connection, length);
        return length;
    }

    /** The first time is as if one had come in the midst of it. */
    long thinkMillis(boolean first) {
        return first ? share.think().rest(random) : share.think().pick(random);
    }

    AnswerReader borrow() {
        AnswerReader reader = readers.isEmpty() ? new AnswerReader() : readers.pop();
        reader.begin(false);
        return reader;
    }

    void giveBack(AnswerReader reader) {
        readers.push(reader);
    }

    void answered(long nanos, AnswerReader answer, int wanted) {
        busy--;
        tally.answered(nanos, answer.status(), answer.bodyLength(), wanted);
    }

    void lost(Held held, Loss loss, boolean wasBusy) {
        alive--;
        busy -= wasBusy ? 1 : 0;
        tally.lost(loss);
        if (share.reopen()) {
            openAgain(held);
        } else {
            giveUp(held);
        }
    }
}
