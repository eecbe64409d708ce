// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import io.sirocco.bench.report.Race;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.function.LongSupplier;

/** What the race says while it runs, and how long it will still take. Thread-confined. */
final class Progress {
    /** How long the plan counts as having held, so that one slow start does not alarm. */
    private static final double TRUST_SECONDS = 10;

    private final PrintWriter to;
    private final LongSupplier nanos;
    private final long began;
    private double done;
    private double left;

    /**
     * @param nanos a clock that does not go back
     * @param planned seconds of measuring and warming up that are ahead
     */
    Progress(PrintWriter to, LongSupplier nanos, double planned) {
        this.to = to;
        this.nanos = nanos;
        this.began = nanos.getAsLong();
        this.left = planned;
    }

    void work(Work work, boolean nobody) {
        say("%n%s: %s%s", work.name(), work.title(), nobody ? "; no peer does it" : "");
    }

    void warm(String peer, double planned) {
        step(planned);
        say("  warm-up    %-12s %s", peer, eta());
    }

    void round(int round, int of, String peer, Race.Round measured, double planned) {
        step(planned);
        say(
                "  %-10s %-12s %,10.0f/s %9.2f us CPU each %9.2f ms p99%s %s",
                "round " + round + "/" + of,
                peer,
                measured.requestsPerSecond(),
                measured.cpuMicros(),
                measured.p99() / 1e3,
                measured.failures() == 0 ? "" : " " + measured.failures() + " failed",
                eta());
    }

    /** It takes no part; so many seconds less are ahead. */
    void absent(String peer, String reason, double planned) {
        left = Math.max(0, left - planned);
        say("  absent     %-12s %s", peer, reason);
    }

    void best(String peer, Race.Round best, int of) {
        say("  %-10s %-12s %,10.0f/s", "best of " + of, peer, best.requestsPerSecond());
    }

    private void step(double planned) {
        done += planned;
        left = Math.max(0, left - planned);
    }

    /** What is ahead takes as much longer than planned as what is behind; at first, not at all. */
    double secondsLeft() {
        double elapsed = (nanos.getAsLong() - began) / 1e9;
        return left * Math.max(1, (elapsed + TRUST_SECONDS) / (done + TRUST_SECONDS));
    }

    private String eta() {
        long seconds = Math.round(secondsLeft());
        if (seconds == 0) {
            return "";
        }
        return seconds < 60
                ? "  %d s left".formatted(seconds)
                : "  %d min left".formatted((seconds + 30) / 60);
    }

    private void say(String format, Object... arguments) {
        to.println(String.format(Locale.ROOT, format, arguments).stripTrailing());
        to.flush();
    }
}
