// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

import io.sirocco.bench.Result;
import io.sirocco.bench.report.Units;
import java.io.PrintWriter;
import java.util.Locale;

/** One line of a terminal that is written over each second while a load runs. One thread. */
final class ProgressLine implements AutoCloseable {
    private final PrintWriter err;
    private final boolean shown;
    private int width;

    /** Shown on a terminal only: a file would keep every state of it. */
    ProgressLine(PrintWriter err) {
        this(err, System.console() != null && System.console().isTerminal());
    }

    ProgressLine(PrintWriter err, boolean shown) {
        this.err = err;
        this.shown = shown;
    }

    void show(Result.Second second) {
        show(second, "requests");
    }

    /**
     * @param units what is counted
     */
    void show(Result.Second second, String units) {
        show(
                String.format(
                        Locale.ROOT,
                        "%,5d s  %,12d %s/s  p99 %s  errors %,d",
                        Math.round(second.atMillis() / 1e3),
                        second.requests(),
                        units,
                        Units.time(second.p99()),
                        second.failures()));
    }

    void show(String text) {
        if (shown) {
            err.print("\r" + text + " ".repeat(Math.max(0, width - text.length())));
            err.flush();
            width = text.length();
        }
    }

    /** Wipes it, for what is printed next. */
    @Override
    public void close() {
        if (shown && width > 0) {
            err.print("\r" + " ".repeat(width) + "\r");
            err.flush();
        }
    }
}
