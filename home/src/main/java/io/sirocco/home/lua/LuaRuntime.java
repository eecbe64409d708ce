// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import io.sirocco.net.Clock;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * The scripts of a controller: boots {@code a/MAIN.LUA}, or {@code a/EMERGNCY.LUA} if that fails;
 * runs the calls of clients; resets.
 *
 * <p>One platform thread runs everything. A script that is slow is interrupted by other calls; one
 * that exceeds a limit ends, and the log names it, its line and the limit. A reset does not wait
 * for it: a thread whose scripts do not end within 300 ms is abandoned, as is one that takes 5 s
 * more to close its objects. When the heap is full the scripts are discarded and boot again. Tasks
 * that wait, or are to run later, end with the state that they were given to.
 *
 * <p>Any thread.
 */
public final class LuaRuntime implements ScriptThread, AutoCloseable {
    private static final long PATIENCE = 300; // milliseconds
    private static final int CLOSING = 5_000 / (int) PATIENCE; // for the objects, as often
    private static final Executor LATER =
            CompletableFuture.delayedExecutor(PATIENCE, TimeUnit.MILLISECONDS);

    private final ScriptFiles files;
    private final ReportSink sink;
    private final ReportForm reports;
    private final LuaLimits limits;
    private final Clock clock;
    private final ScriptLog log;
    private ObjectFactory factory; // set by start, before the first state
    private volatile LuaState current; // null before start
    private CompletableFuture<LuaStatus> booted = new CompletableFuture<>();
    private CompletableFuture<LuaStatus> bootedCopy = booted.copy(); // one for all resets
    private boolean resetting; // the current state ends for a reset
    private volatile boolean closed;

    private LuaRuntime(Path root, ReportSink sink, LuaSettings settings) {
        this.files = new ScriptFiles(root);
        this.sink = sink;
        this.reports = settings.reports();
        this.limits = settings.limits();
        this.clock = settings.clock();
        this.log = settings.log();
    }

    /**
     * Creates a runtime that has not started.
     *
     * @param root the folder that contains {@code a}
     * @param sink sends the reports to registered clients
     * @param configure sets limits
     */
    public static LuaRuntime create(Path root, ReportSink sink, Consumer<LuaSettings> configure) {
        LuaSettings settings = new LuaSettings();
        configure.accept(settings);
        return new LuaRuntime(root, sink, settings);
    }

    /**
     * Boots the scripts. To be called once.
     *
     * @return completes when {@code checkAlive()} has returned, be it that of the emergency script
     */
    public synchronized CompletableFuture<LuaStatus> start(ObjectFactory factory) {
        if (current != null) {
            throw new IllegalStateException("the scripts have started already");
        }
        this.factory = factory;
        clock.onLeap(() -> current.tasks().wake());
        boot(LuaState.Script.MAIN, Optional.empty());
        return booted.copy();
    }

    /** Returns the state of the scripts. */
    public LuaStatus status() {
        LuaState state = current;
        return state == null ? LuaStatus.STARTING : state.status();
    }

    /** Returns the clients that have registered for reports; a reset ends all. */
    public List<ReportClient> clients() {
        LuaState state = current;
        return state == null ? List.of() : state.clients();
    }

    /** Returns the log of the scripts. */
    public ScriptLog log() {
        return log;
    }

    /**
     * Discards the scripts and boots them again. A reset during a boot begins it anew.
     *
     * @return completes as that of {@link #start}; the same for all resets that wait for one boot
     */
    public synchronized CompletableFuture<LuaStatus> reset() {
        if (current == null || closed) {
            return CompletableFuture.failedFuture(
                    new IllegalStateException("the scripts do not run"));
        }
        if (!resetting) {
            resetting = true;
            LuaState ending = current;
            ending.stop("reset");
            LATER.execute(() -> replaceLate(ending, CLOSING));
        }
        return bootedCopy;
    }

    /** Replaces a state whose scripts have not ended; one that closes its objects has more time. */
    private void replaceLate(LuaState ending, int more) {
        if (more > 0 && ending.isClosing()) {
            if (!ending.ended().isDone()) {
                LATER.execute(() -> replaceLate(ending, more - 1));
            }
        } else {
            replace(ending, true);
        }
    }

    /**
     * Queues the evaluation of {@code return SCRIPT}, and wakes the thread.
     *
     * @param source the address of the client
     * @param done receives the text of the value, on the thread of the scripts; nil for every
     *     failure, an exception inside an object included. It is called once; for a call that runs
     *     on a thread which is abandoned, on another thread
     * @return false when 10,000 wait, or the runtime is closed: the call is dropped
     */
    public boolean call(String script, InetSocketAddress source, Consumer<String> done) {
        boolean accepted = submit(script, source, done);
        flush();
        return accepted;
    }

    /** As {@link #call}, but the thread may sleep until {@link #flush}: for many at a time. */
    public boolean submit(String script, InetSocketAddress source, Consumer<String> done) {
        return submit(new TaskQueue.Work.Call(script, Optional.of(source), done));
    }

    /** As {@link #call}, for a call that comes from no address. */
    public boolean call(String script, Consumer<String> done) {
        boolean accepted = submit(new TaskQueue.Work.Call(script, Optional.empty(), done));
        flush();
        return accepted;
    }

    /** A state that ends refuses calls, since its successor takes them: then it gets this one. */
    private boolean submit(TaskQueue.Work.Call call) {
        while (true) {
            LuaState state = state();
            if (state.tasks().submit(call)) {
                return true;
            }
            if (state == current) {
                return false;
            }
        }
    }

    /** Gives a call that waits in a state which ends to its successor; false if there is none. */
    boolean handOver(LuaState ending, TaskQueue.Work.Call call) {
        LuaState next = current;
        boolean taken = next != ending && !closed && next.tasks().submit(call);
        if (taken) {
            next.tasks().wake();
        }
        return taken;
    }

    /** Wakes the thread after {@link #submit}. */
    public void flush() {
        state().tasks().wake();
    }

    @Override
    public boolean execute(String name, Runnable task) {
        return state().tasks().execute(name, task);
    }

    @Override
    public Scheduled schedule(String name, Duration delay, Runnable task) {
        return state().tasks().schedule(name, delay, task);
    }

    @Override
    public boolean await(CompletableFuture<?> future, Duration timeout) {
        return state().tasks().await(future, timeout);
    }

    @Override
    public Optional<InetSocketAddress> caller() {
        return state().tasks().caller();
    }

    @Override
    public void spend(long steps) {
        state().tasks().spend(steps);
    }

    @Override
    public void warn(String line) {
        log.add(Level.WARNING, line);
    }

    @Override
    public InstantSource clock() {
        return () -> Instant.ofEpochMilli(clock.wallMillis());
    }

    @Override
    public long nanoTime() {
        return clock.nanos();
    }

    /**
     * Ends the scripts; waits for them up to 300 ms, and for their objects up to 5 s more. An
     * interrupt does not shorten that.
     */
    @Override
    public void close() {
        LuaState ending;
        synchronized (this) {
            closed = true;
            ending = current;
        }
        if (ending == null) {
            return;
        }
        ending.stop("close");
        if (awaitEnd(ending)) {
            ending.refuseWaiting();
        } else {
            ending.abandon();
            ending.closeObjects();
        }
        booted().completeExceptionally(new IllegalStateException("the scripts have ended"));
    }

    private static boolean awaitEnd(LuaState ending) {
        boolean interrupted = false;
        try {
            for (int more = CLOSING; true; ) {
                try {
                    ending.ended().get(PATIENCE, TimeUnit.MILLISECONDS);
                    return true;
                } catch (TimeoutException e) {
                    if (more-- == 0 || !ending.isClosing()) {
                        return false;
                    }
                } catch (ExecutionException e) {
                    return false;
                } catch (InterruptedException e) {
                    interrupted = true; // is set again at the end
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private LuaState state() {
        LuaState state = current;
        if (state == null) {
            throw new IllegalStateException("the scripts have not started");
        }
        return state;
    }

    private synchronized CompletableFuture<LuaStatus> booted() {
        return booted;
    }

    /** Called by a state when its script is alive. */
    void booted(LuaState state) {
        CompletableFuture<LuaStatus> waiting;
        synchronized (this) {
            if (state != current || resetting) {
                return;
            }
            waiting = booted;
            booted = new CompletableFuture<>(); // a reset from now on waits for the next boot
            bootedCopy = booted.copy();
        }
        waiting.complete(state.status());
    }

    private synchronized void boot(LuaState.Script script, Optional<LuaState> abandoned) {
        LuaState next = new LuaState(this, script, abandoned);
        next.start();
        current = next;
    }

    /**
     * Boots the successor of a state that has ended, or has not ended in time. Tries again for as
     * long as others fill the heap.
     */
    void replace(LuaState ended, boolean late) {
        while (true) {
            try {
                if (tryToReplace(ended, late)) {
                    ended.abandon(); // runs code of others, so not under the monitor
                }
                return;
            } catch (OutOfMemoryError e) {
                LockSupport.parkNanos(PATIENCE * 1_000_000);
            }
        }
    }

    /** Returns whether the state has a successor now, and has not ended itself. */
    private synchronized boolean tryToReplace(LuaState ended, boolean late) {
        boolean hopeless = !resetting && ended.script() == LuaState.Script.NONE;
        if (ended != current || closed || hopeless) {
            return false; // the next reset may help
        }
        LuaState.Script next = resetting ? LuaState.Script.MAIN : ended.next();
        boot(next, late ? Optional.of(ended) : Optional.empty());
        resetting = false;
        return late;
    }

    // For a state

    ScriptFiles files() {
        return files;
    }

    ReportSink sink() {
        return sink;
    }

    ReportForm reports() {
        return reports;
    }

    LuaLimits limits() {
        return limits;
    }

    Clock netClock() {
        return clock;
    }

    ObjectFactory factory() {
        return factory;
    }
}
