// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

import io.sirocco.bench.AnswerReader;
import io.sirocco.net.Destination;
import io.sirocco.net.Loop;
import java.net.InetAddress;
import java.util.List;

/**
 * What the sessions of one loop share: how they read and write, and where it is counted.
 * Loop-confined.
 */
final class Rig {
    final LivePlan plan;
    final Loop loop;
    final int index;
    final Handshake handshake;
    final FrameReader frames = new FrameReader();
    final FrameWriter writer = new FrameWriter();
    final AnswerReader answer = new AnswerReader(); // of one that is all there, or read anew
    final long timeoutMillis;
    private final List<InetAddress> sources;
    private int source; // the last that was taken
    private Tally tally = new Tally();

    /**
     * @param sources addresses of our own, in turn; the system chooses when there are none
     */
    Rig(LivePlan plan, Loop loop, Handshake handshake, List<InetAddress> sources) {
        this.plan = plan;
        this.loop = loop;
        this.index = loop.index();
        this.handshake = handshake;
        this.sources = sources;
        this.timeoutMillis = Math.max(1, plan.timeout.toMillis());
        this.source = index;
    }

    Destination destination() {
        Destination to = Destination.of(plan.server).withTimeout(timeoutMillis);
        if (sources.isEmpty()) {
            return to;
        }
        source += plan.loops;
        return to.withSource(sources.get(source % sources.size()));
    }

    long nanos() {
        return loop.clock().nanos();
    }

    /** When something that begins now has taken too long, for a deadline. */
    long tooLate() {
        return loop.now() + timeoutMillis;
    }

    Tally tally() {
        return tally;
    }

    /** Hands over what has been counted since the last call. */
    Tally take() {
        Tally taken = tally;
        tally = new Tally();
        return taken;
    }

    /** Forgets the bytes so far: only what has failed still counts. */
    void forgetBytes() {
        tally.bytesIn = 0;
        tally.bytesOut = 0;
    }

    /** How many of {@code whole} are this loop's. */
    int share(int whole) {
        return whole / plan.loops + (index < whole % plan.loops ? 1 : 0);
    }
}
