// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sirocco.bench.Failure;
import java.util.BitSet;

/**
 * Is in the room, and knows of each message whether it came, and how often. One that stalls does
 * not read while messages are published, and counts for itself. Loop-confined.
 */
final class Receiver implements Part {
    private static final byte[] GAP = "[\"sirocco:gap\"".getBytes(ISO_8859_1);

    private final Receivers crowd;
    private final Fanout fanout;
    final boolean stalls;
    private long last = -1; // the highest number that came
    private BitSet missing; // lower ones that did not; null when there are none

    Receiver(Receivers crowd, boolean stalls) {
        this.crowd = crowd;
        this.fanout = crowd.fanout;
        this.stalls = stalls;
    }

    @Override
    public void event(Session session, byte[] b, int from, int to, long now) {
        int number = from + Fanout.EVENT.length;
        int end = Bytes.digits(b, number, to);
        if (!Bytes.begins(b, from, to, Fanout.EVENT) || end == number) {
            session.unexpected(
                    Bytes.begins(b, from, to, GAP) ? "the server tells of a gap" : "an event");
            return;
        }
        long n = Bytes.number(b, number, end);
        if (n >= fanout.published()) {
            session.unexpected("a message that nobody has published");
        } else if (isNew(n)) {
            crowd.got(this, n, now);
        }
    }

    private boolean isNew(long n) {
        if (n > last) {
            if (n > last + 1) {
                missing = missing == null ? new BitSet() : missing;
                missing.set((int) last + 1, (int) n);
            }
            last = n;
            return true;
        }
        boolean late = missing != null && missing.get((int) n);
        if (late) {
            missing.clear((int) n);
        }
        crowd.notInOrder(n, late);
        return late;
    }

    /** Whether a message has come. */
    private boolean has(long n) {
        return n <= last && (missing == null || !missing.get((int) n));
    }

    /** How many of the messages from {@code from} on have not come. */
    long missing(long from) {
        long published = fanout.published();
        if (from >= published) {
            return 0;
        }
        int before = missing == null ? 0 : missing.get((int) from, (int) published).cardinality();
        return before + Math.max(0, published - 1 - Math.max(last, from - 1));
    }

    @Override
    public void ended(Session session, Failure why, String words) {
        if (stalls) {
            crowd.stalledEnded();
            return;
        }
        crowd.rig.tally().failed(why, words);
        fanout.received(-1);
        long published = fanout.published();
        for (long n = Math.max(0, published - fanout.plan.window()); n < published; n++) {
            if (!has(n)) {
                fanout.got(n);
            }
        }
    }
}
