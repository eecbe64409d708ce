// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import io.sirocco.bench.Histograms;
import org.HdrHistogram.Histogram;

/** Counts what happens to the connections of one loop. Loop-confined. */
final class Tally {
    private final long[] losses = new long[Loss.values().length];
    private Histogram latency = Histograms.none();
    private long bodyLength = -1; // of the first answer, when all are to have that
    long connected;
    long unopened;
    private long wrongStatus;
    private long wrongLength;
    private long answers;

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
        Histograms.record(latency, nanos);
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
        latency = Histograms.none();
        return taken;
    }
}
