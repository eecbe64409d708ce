// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import io.sirocco.net.Clock;
import io.sirocco.net.log.LazyLogger;
import io.sirocco.net.log.LogText;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;

/**
 * The log for the owner of a controller, of its scripts and of what serves them: the last 1,000
 * lines are kept in memory, and up to 100 lines a second go to the log of the server. A line is cut
 * at 1,000 characters; what a script prints can neither look like another line nor control a
 * terminal. It names scripts and lines, never the arguments of a call. Any thread.
 */
public final class ScriptLog {
    private static final LazyLogger LOG = LazyLogger.of(ScriptLog.class);
    private static final int MAX_LINES = 1_000;
    private static final int MAX_LENGTH = 1_000;
    private static final int LINES_A_SECOND = 100;

    /** A line. Immutable. */
    public record Line(Instant time, Level level, String text) {}

    private final Clock clock;
    private final Queue<Line> lines = new ArrayDeque<>();
    private long second; // the one that is counted
    private int written; // lines of this second that went to the log of the server
    private int dropped; // lines that did not

    /** Creates an empty log. */
    public ScriptLog(Clock clock) {
        this.clock = clock;
    }

    /** Returns the lines that are kept, oldest first. */
    public synchronized List<Line> lines() {
        return List.copyOf(lines);
    }

    /** Forgets the lines that are kept. */
    public synchronized void clear() {
        lines.clear();
    }

    /** Adds a line. */
    public void add(Level level, String text) {
        String line = cut(LogText.of(cut(text)));
        int unwritten = keep(level, line);
        if (unwritten < 0) {
            return;
        }
        if (unwritten > 0) {
            LOG.get().log(Level.WARNING, "{0} lines of scripts were too many", unwritten);
        }
        LOG.get().log(level, "{0}", line);
    }

    private static String cut(String text) {
        return text.length() <= MAX_LENGTH ? text : text.substring(0, MAX_LENGTH) + "...";
    }

    /** Returns -1 if the line is too many for the server's log, else how many were before it. */
    private synchronized int keep(Level level, String line) {
        long now = clock.wallMillis();
        if (lines.size() == MAX_LINES) {
            lines.remove();
        }
        lines.add(new Line(Instant.ofEpochMilli(now), level, line));
        if (now / 1_000 != second) {
            second = now / 1_000;
            written = 0;
        }
        if (written == LINES_A_SECOND) {
            dropped++;
            return -1;
        }
        written++;
        int before = dropped;
        dropped = 0;
        return before;
    }
}
