// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.log.LazyLogger;
import io.sirocco.net.log.LinkedErrors;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * Looks at the loops every few milliseconds while one of them is in a long turn, half as often
 * while their turns are short, and dozes while they are idle.
 *
 * <p>A loop whose turn lasts longer than {@link Settings#longTurnMillis} is reported once per turn,
 * with the stack of what blocks it: to the log, to the observer and as the JFR event {@code
 * sirocco.LoopBlocked}.
 *
 * <p>A {@link TaskKind} that is seen in one and the same run for {@link Settings#blockingMillis} is
 * moved off the loops: on trial, if it is the first time and the run ends soon or loads classes;
 * otherwise for good. What counts is what the watchdog itself has seen: an interval between two
 * looks counts for no more than two of the shorter intervals. So a pause that stops the whole
 * process (the garbage collector, a suspended machine) stops the watchdog too and is blamed on
 * nobody. On Linux, the time that the loop's thread was ready to run and got no processor does not
 * count either.
 *
 * <p>A loop that does not end its turn within {@link Settings#maxTurnMillis}, by what the watchdog
 * has seen, is dead. That is decided without any lock: code that writes the log, and observers, run
 * on another thread, since the loop may have the lock that they wait for.
 *
 * <p>It goes by real time, not by the loops' clock.
 */
final class Watchdog implements AutoCloseable {
    static {
        LinkedErrors.link(Throwable.class, Watchdog.NOT_LOOKED, Watchdog.MISSED);
    }

    private static final String NOT_LOOKED = "the watchdog could not look";
    private static final String MISSED = "the watchdog has missed a look";
    private static final String SPARED =
            "{0} has not ended its turn for {1} ms; it is not declared dead, since this JVM was started"
                    + " for a debugger";
    private static final String ON_TRIAL =
            "{0} has blocked {1}, and the other clients of that loop, for {2} ms; the JDK''s scheduler"
                    + " runs it until it is known to be quick";
    private static final String BLAMED =
            "{0} has blocked {1} for {2} ms without parking; from now on the JDK''s scheduler runs"
                    + " it, not the event loops:{3}";
    private static final int MAX_REPORTS = 64; // that wait
    private static final LazyLogger LOG = LazyLogger.of(Watchdog.class);
    private static final long DOZE = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int IDLE_LOOKS = 5; // before it dozes

    /** The state of the busiest loop at a look. A turn is long from half an interval on. */
    enum Found {
        IDLE,
        SHORT_TURN,
        LONG_TURN
    }

    /** How long a new program loads classes and compiles: that it is slow is no warning then. */
    private static final long WARM_UP = TimeUnit.SECONDS.toNanos(10);

    /** A run that lasts so many times what moves its kind moves it for good. */
    private static final int LONG = 10;

    private final List<Loop> loops;
    private final Settings settings;
    private final long interval;
    private final long started = System.nanoTime();
    private final Sight[] sights;
    private final Executor reports;
    private Thread thread;
    private volatile boolean debugged; // perhaps, by what is known
    private volatile boolean dozing;
    private volatile boolean closed;

    /** What is known of one loop. Used by the watchdog's thread. */
    private static final class Sight {
        long reported; // the turn that was reported last, by its begin
        long turn; // that was going on at the last look, by its begin
        long turnNanos; // for how long that turn has been seen
        long turnLooked; // when it was seen last
        boolean stalled; // the turn that goes on is too long
        boolean halfway; // to that
        boolean notified; // the owner of the dead loop was, or need not be
        long run; // that was going on at the last look
        long looked; // when that was
        long nanos; // for how long the run has been seen
        long waited; // for a processor, by the last look
        int stacks;
        int cold; // stacks that were loading classes
        TaskKind onTrial; // moved in this run, which goes on; or null
    }

    Watchdog(List<Loop> loops, Settings settings) {
        this(loops, settings, reports(settings.name));
    }

    /** Has {@code reports} write the log and call the observer. */
    Watchdog(List<Loop> loops, Settings settings, Executor reports) {
        this.loops = loops;
        this.reports = reports;
        this.settings = settings;
        this.sights = new Sight[loops.size()];
        for (int i = 0; i < sights.length; i++) {
            sights[i] = new Sight();
        }
        long shortest =
                IntStream.of(
                                settings.longTurnMillis,
                                settings.blockingMillis,
                                settings.maxTurnMillis)
                        .filter(millis -> millis > 0)
                        .min()
                        .orElse(Integer.MAX_VALUE);
        this.interval = TimeUnit.MILLISECONDS.toNanos(Math.clamp(shortest / 4, 1, 125));
    }

    /** Runs a few reports one after the other; drops those that are too many. */
    private static Executor reports(String name) {
        return new ThreadPoolExecutor(
                0,
                1,
                1,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(MAX_REPORTS),
                Thread.ofPlatform().daemon().name(name + "-watchdog-reports").factory(),
                new ThreadPoolExecutor.DiscardPolicy());
    }

    void start() {
        if (settings.longTurnMillis > 0
                || settings.blockingMillis > 0
                || settings.maxTurnMillis > 0) {
            thread =
                    Thread.ofPlatform()
                            .daemon()
                            .name(settings.name + "-watchdog")
                            .unstarted(this::watch);
            loops.forEach(loop -> loop.watchdog = this);
            thread.start();
        }
    }

    /** A turn begins. Any loop; costs next to nothing while the watchdog is awake. */
    void turnBegins() {
        if (dozing) {
            dozing = false;
            LockSupport.unpark(thread);
        }
    }

    private void watch() {
        reports.execute(Loop::prepareLog); // where it delays no start
        int idle = 0;
        while (!closed) {
            Found found = lookAndSurvive();
            idle = found == Found.IDLE ? idle + 1 : 0;
            if (idle < IDLE_LOOKS) {
                // A look costs 20 to 50 µs of CPU, most of it on a core that a loop uses.
                LockSupport.parkNanos(found == Found.LONG_TURN ? interval : 2 * interval);
            } else {
                dozing = true;
                LockSupport.parkNanos(DOZE); // not for ever: a turn may have begun just now
                idle = dozing ? IDLE_LOOKS : 0;
                dozing = false;
            }
        }
    }

    /** It goes on after whatever is thrown, for want of memory above all. */
    private Found lookAndSurvive() {
        try {
            return look();
        } catch (Throwable e) {
            report(NOT_LOOKED, e);
            return Found.SHORT_TURN;
        }
    }

    /** Logs an error of the watchdog itself, if there is heap for it. */
    private void report(String text, Throwable thrown) {
        try {
            reports.execute(() -> Loop.warn(LOG, text, thrown));
        } catch (OutOfMemoryError e) {
            // it is not reported
        }
    }

    /** Looks at all loops. */
    Found look() {
        Found most = Found.IDLE;
        for (Loop loop : loops) {
            try {
                Found found = look(loop, sights[loop.index()]);
                most = found.compareTo(most) > 0 ? found : most;
            } catch (Throwable e) { // out of heap, for one: this thread must not end
                report(MISSED, e);
            }
        }
        return most;
    }

    private Found look(Loop loop, Sight sight) {
        long since = loop.turns.begun();
        long now = System.nanoTime();
        if (since != 0 && (since == sight.turn || now - since >= interval)) {
            loop.turns.isLong(since);
        }
        if (settings.maxTurnMillis > 0) {
            lookForStall(loop, sight, since, now);
        }
        sight.turn = since;
        if (since != 0 && settings.longTurnMillis > 0) {
            lookAtTurn(loop, sight, since, (now - since) / 1_000_000);
        }
        if (settings.blockingMillis > 0) {
            lookAtRun(loop, sight, now);
        }
        if (since == 0) {
            return Found.IDLE;
        }
        return now - since < interval / 2 ? Found.SHORT_TURN : Found.LONG_TURN;
    }

    private void lookForStall(Loop loop, Sight sight, long since, long now) {
        long passed = now - sight.turnLooked;
        sight.turnLooked = now;
        if (since == 0 || since != sight.turn) {
            sight.turnNanos = 0;
            sight.stalled = false;
            sight.halfway = false;
            return;
        }
        sight.turnNanos += Math.clamp(passed, 0, 2 * interval);
        long millis = sight.turnNanos / 1_000_000;
        if (millis >= settings.maxTurnMillis / 2 && !sight.halfway) {
            sight.halfway = true; // in time, and elsewhere: it may have to load classes
            reports.execute(() -> debugged = Debugger.isPossible());
        }
        if (millis >= settings.maxTurnMillis && !sight.stalled && !loop.hasFailed()) {
            if (debugged) {
                reports.execute(() -> LOG.get().log(Level.WARNING, SPARED, loop, millis));
                sight.notified = true;
            } else {
                loop.stall(millis);
            }
            sight.stalled = true; // behind what may find no heap
        }
        if (sight.stalled && !sight.notified) { // again, if there was no heap for a thread
            start("-death", loop.death::notifyOwner);
            start("-death-log", loop.death::log); // other reports may wait for the loop
            sight.notified = true;
        }
    }

    private void start(String suffix, Runnable task) {
        Thread.ofPlatform().daemon().name(settings.name + suffix).start(task);
    }

    private void lookAtTurn(Loop loop, Sight sight, long since, long held) {
        if (held < settings.longTurnMillis || sight.reported == since) {
            return;
        }
        StackTraceElement[] stack = loop.blockingStack();
        if (loop.turns.begun() != since) {
            return; // it has let go meanwhile
        }
        sight.reported = since;
        LoopBlockedEvent.commit(loop, held, stack);
        String text = "{0} has been blocked for {1} ms by{2}";
        reports.execute(
                () -> {
                    LOG.get().log(Level.WARNING, text, loop, held, show(stack));
                    notify(() -> settings.observer.loopBlocked(loop, held, stack));
                });
    }

    private static void notify(Runnable observer) {
        try {
            observer.run();
        } catch (Throwable e) {
            Loop.observerThrew(e);
        }
    }

    private void lookAtRun(Loop loop, Sight sight, long now) {
        long run = loop.runs();
        TaskKind kind = loop.kind();
        long passed = now - sight.looked;
        sight.looked = now;
        boolean seenBefore = run == sight.run && run == loop.runs();
        if (kind == null || !seenBefore || kind.moved() && kind != sight.onTrial) {
            sight.onTrial = null;
            sight.run = run;
            sight.nanos = 0;
            sight.stacks = 0;
            sight.cold = 0;
            return;
        }
        long waited = waited(loop);
        if (sight.stacks > 0) {
            passed -= waited - sight.waited;
        }
        sight.waited = waited;
        sight.nanos += Math.clamp(passed, 0, 2 * interval);
        StackTraceElement[] stack = loop.stack();
        if (loop.runs() != run) {
            return; // it has let go meanwhile
        }
        sight.stacks++;
        sight.cold += isCold(stack) ? 1 : 0;
        long limit = TimeUnit.MILLISECONDS.toNanos(settings.blockingMillis);
        if (sight.onTrial == null && sight.nanos >= limit) {
            found(loop, kind, sight, stack);
        } else if (sight.nanos >= LONG * limit && sight.cold * 2 <= sight.stacks) {
            sight.onTrial = null;
            kind.moveForGood();
            blame(loop, kind, sight.nanos / 1_000_000, stack);
        }
    }

    /**
     * A run has blocked the loop: short stalls at the beginning are common, and forgiven once. What
     * loads classes, or happens in the first seconds, is logged at level debug.
     */
    private void found(Loop loop, TaskKind kind, Sight sight, StackTraceElement[] stack) {
        if (!kind.move()) {
            return;
        }
        loop.blockingTaskKinds++;
        long millis = sight.nanos / 1_000_000;
        boolean onTrial = kind.onTrial();
        if (onTrial) {
            sight.onTrial = kind;
            boolean cold = sight.cold * 2 > sight.stacks || System.nanoTime() - started < WARM_UP;
            Level level = cold ? Level.DEBUG : Level.INFO;
            reports.execute(() -> LOG.get().log(level, ON_TRIAL, kind, loop, millis));
        } else {
            blame(loop, kind, millis, stack);
        }
        reports.execute(
                () -> notify(() -> settings.observer.taskKindMoved(loop, kind, millis, stack)));
    }

    private void blame(Loop loop, TaskKind kind, long millis, StackTraceElement[] stack) {
        reports.execute(
                () -> LOG.get().log(Level.WARNING, BLAMED, kind, loop, millis, show(stack)));
    }

    /** Returns whether classes are being found, initialised or linked: that happens once. */
    private static boolean isCold(StackTraceElement[] stack) {
        for (StackTraceElement frame : stack) {
            String type = frame.getClassName();
            if (frame.getMethodName().equals("<clinit>")
                    || type.equals("java.lang.ClassLoader")
                    || type.startsWith("jdk.internal.loader.")
                    || type.equals(LazyLogger.class.getName()) // looks for the JDK's logger, once
                    || type.equals("java.lang.invoke.MethodHandleNatives")) {
                return true;
            }
        }
        return false;
    }

    /** Nanoseconds that the loop's thread was ready to run and had no processor; 0 if unknown. */
    private static long waited(Loop loop) {
        Path file = loop.schedulerStatistics;
        if (file == null) {
            return 0;
        }
        try {
            String[] figures = Files.readString(file).strip().split(" "); // ran, waited, slices
            return Long.parseLong(figures[1]);
        } catch (IOException | RuntimeException e) {
            return 0;
        }
    }

    private static String show(StackTraceElement[] stack) {
        var text = new StringBuilder();
        for (StackTraceElement frame : stack) {
            text.append("\n    at ").append(frame);
        }
        return text.toString();
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
    }
}
