// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import org.HdrHistogram.Histogram;

/** Counts what happens to the connections of one loop. Loop-confined. */
final class Tally {
    private static final long LONGEST = 3_600_000_000_000L; // an hour

    private final long[] losses = new long[Loss.values().length];
    private Histogram latency = noLatency();
    private long bodyLength = -1; // of the first answer, when all are to have that
    long connected;
    long unopened;
    private long wrongStatus;
    private long wrongLength;
    private long answers;

    /** For latencies in nanoseconds, three significant digits. */
    static Histogram noLatency() {
        return new Histogram(1, LONGEST, 3);
    }

    void lost(Loss loss) {
        losses[loss.ordinal()]++;
    }

    /**
     * An answer came whole.
     *
     * @param wanted how long its body should have been; -1 for as long as that of the first
     */
    void answered(long nanos, int status, long length, long wanted) {
        answers++;
        latency.recordValue(Math.clamp(nanos, 1, LONGEST));
        if (status < 200 || status > 299) {
            wrongStatus++;
            return;
        }
        if (wanted < 0 && bodyLength < 0) {
            bodyLength = length;
        }
        wrongLength += length == (wanted < 0 ? bodyLength : wanted) ? 0 : 1;
    }

    Counts counts() {
        return new Counts(
                connected,
                unopened,
                losses[Loss.RESET.ordinal()],
                losses[Loss.CLOSED.ordinal()],
                losses[Loss.TIMED_OUT.ordinal()],
                losses[Loss.MALFORMED.ordinal()],
                wrongStatus,
                wrongLength,
                answers);
    }

    /** Of the first right answer; -1 while there is none, or when lengths were asked for. */
    long bodyLength() {
        return bodyLength;
    }

    /** Hands over the latencies since the last call. */
    Histogram takeLatency() {
        Histogram taken = latency;
        latency = noLatency();
        return taken;
    }
}
