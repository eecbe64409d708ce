// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sirocco.bench.Schedule;
import io.sirocco.net.Loop;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * What the publisher and the receivers of a fan-out know in common. Messages are numbered from 0;
 * their numbers are in them. Any thread.
 */
final class Fanout {
    /** The room that all receivers are in. */
    static final String ROOM = "bench";

    /** How the array of each message begins, up to its number. */
    static final byte[] EVENT = "[\"m\",".getBytes(ISO_8859_1);

    private static final int RING = 1 << 10; // more than a window

    final LivePlan plan;
    private final Schedule schedule; // null when the loop is closed
    private final AtomicInteger receivers = new AtomicInteger();
    private final AtomicLongArray sent = new AtomicLongArray(RING); // when, in a closed loop
    private final AtomicIntegerArray left = new AtomicIntegerArray(RING); // who has not got it
    private volatile Publisher publisher;
    private volatile Loop publishing;
    private volatile long begin;
    private volatile long published;
    private volatile long firstMeasured = Long.MAX_VALUE;
    private volatile long until = Long.MAX_VALUE;

    Fanout(LivePlan plan) {
        this.plan = plan;
        this.schedule = Schedule.at(plan.rate, 0, 1).orElse(null);
    }

    // ---- the publisher's side

    void publisher(Publisher publisher, Loop loop) {
        publishing = loop;
        this.publisher = publisher;
    }

    boolean hasPublisher() {
        return publisher != null;
    }

    boolean closedLoop() {
        return schedule == null;
    }

    void begin(long now) {
        begin = now;
    }

    void measure(long now) {
        until = now + plan.duration.toNanos();
        firstMeasured = published;
    }

    void end(long now) {
        until = Math.min(until, now);
    }

    /** Until when messages are due that are measured. */
    long until() {
        return until;
    }

    /** The next message is on its way. */
    void publish(long number, long now) {
        int place = (int) number & RING - 1;
        sent.set(place, now);
        left.set(place, receivers.get());
        published = number + 1;
    }

    // ---- the receivers' side

    void received(int by) {
        receivers.addAndGet(by);
    }

    int receivers() {
        return receivers.get();
    }

    long published() {
        return published;
    }

    /** The first message that is measured; beyond all while none is. */
    long firstMeasured() {
        return firstMeasured;
    }

    /** When a message was to be published, in nanoseconds. */
    long due(long number) {
        return schedule == null ? sent.get((int) number & RING - 1) : begin + schedule.due(number);
    }

    /** One of those who are to get the message has got it, or never will. */
    void got(long number) {
        if (schedule == null && left.decrementAndGet((int) number & RING - 1) == 0) {
            publishing.execute(publisher::complete);
        }
    }
}
