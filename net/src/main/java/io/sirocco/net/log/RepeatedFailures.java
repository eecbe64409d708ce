// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.log;

import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Logs failures that others can cause as often as they like: of each kind one in ten seconds, with
 * its stack trace and the number of those that were left out since. A kind is what failed, the
 * class that was thrown, the line that threw it, and the innermost line of the program, which is
 * the first outside of the JDK, Clojure and this project. There are at most 256 kinds; those beyond
 * share one.
 *
 * <pre>
 *   a handler of jar failed
 *   java.lang.IllegalStateException: ...
 *   ... ten seconds later
 *   a handler of jar failed (and 4711 times like this before)
 * </pre>
 *
 * <p>Any thread; takes no lock on a kind that is known.
 */
public final class RepeatedFailures {
    private static final long EVERY_NANOS = 10_000_000_000L;
    private static final int KINDS = 256;
    private static final String OTHERS = "";
    private static final List<String> LIBRARIES =
            List.of("java.", "jdk.", "sun.", "clojure.", "io.sirocco.");

    private final LazyLogger log;
    private final Level level;
    private final LongSupplier nanos;
    private final Map<String, Kind> kinds = new ConcurrentHashMap<>();

    /** One kind, which was logged before. */
    private static final class Kind {
        final AtomicLong next; // the time from which on one more is logged
        final AtomicLong leftOut = new AtomicLong();

        Kind(long next) {
            this.next = new AtomicLong(next);
        }
    }

    /** Failures that go to {@code log}, at this level. */
    public RepeatedFailures(LazyLogger log, Level level) {
        this(log, level, System::nanoTime);
    }

    RepeatedFailures(LazyLogger log, Level level, LongSupplier nanos) {
        this.log = log;
        this.level = level;
        this.nanos = nanos;
    }

    /**
     * Logs a failure, unless one of its kind was logged a moment ago.
     *
     * @param what failed: one of few words, which no stranger chooses
     * @param message the line to log
     */
    public void log(String what, String message, Throwable thrown) {
        String line = line(what, message, thrown);
        if (line != null) {
            try {
                log.get().log(level, line, thrown);
            } catch (Throwable e) {
                // a handler of the log threw, and nothing is left that could report it
            }
        }
    }

    /**
     * Logs a failure that needs no stack trace, since it comes from outside of the program. See
     * {@link #log}.
     */
    public void logLine(String what, String message, Throwable thrown) {
        String line = line(what, message, thrown);
        if (line != null) {
            try {
                log.get().log(level, line);
            } catch (Throwable e) {
                // the same
            }
        }
    }

    /** Returns the line to log; null if one of its kind was logged a moment ago. */
    private String line(String what, String message, Throwable thrown) {
        long before = leftOut(kind(what, thrown));
        if (before < 0) {
            return null;
        }
        return before == 0 ? message : message + " (and " + before + " times like this before)";
    }

    /** Returns how many of a kind were left out since the last was logged; -1 for one more. */
    long leftOut(String name) {
        long now = nanos.getAsLong();
        Kind kind = kinds.get(name);
        if (kind == null) {
            String known = kinds.size() < KINDS ? name : OTHERS;
            var first = new Kind(now + EVERY_NANOS);
            kind = kinds.putIfAbsent(known, first);
            if (kind == null) {
                return 0;
            }
        }
        long next = kind.next.get();
        if (now - next < 0 || !kind.next.compareAndSet(next, now + EVERY_NANOS)) {
            kind.leftOut.incrementAndGet();
            return -1;
        }
        return kind.leftOut.getAndSet(0);
    }

    static String kind(String what, Throwable thrown) {
        StackTraceElement[] stack = thrown.getStackTrace();
        String where = stack.length == 0 ? "" : "\n" + stack[0];
        return what + "\n" + thrown.getClass().getName() + where + "\n" + ofProgram(stack);
    }

    /** Returns the innermost frame of the program; null if there is none. */
    private static StackTraceElement ofProgram(StackTraceElement[] stack) {
        for (StackTraceElement frame : stack) {
            String name = frame.getClassName();
            if (LIBRARIES.stream().noneMatch(name::startsWith)) {
                return frame;
            }
        }
        return null;
    }
}
