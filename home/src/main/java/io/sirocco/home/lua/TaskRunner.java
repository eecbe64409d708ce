// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import io.sirocco.home.lua.TaskQueue.Accepted;
import io.sirocco.home.lua.TaskQueue.Work;
import io.sirocco.net.Clock;
import io.sirocco.net.log.LazyLogger;
import io.sirocco.net.log.RepeatedFailures;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.luaj.vm2.Globals;
import org.luaj.vm2.LuaClosure;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaValue;

/**
 * Runs the tasks of a {@link LuaState}: calls of clients, events and timers. It runs them while the
 * main script waits, and in between while a task exceeds its slice: such a task goes on when those
 * on top of it have ended. Of what waits in a state which ends, calls that have come since it was
 * stopped, and those of {@code checkAlive()}, go to its successor. All else is refused, so that a
 * reset ends what has blocked the scripts: a call gets value nil. Used by one thread, that of the
 * state; any thread may add work.
 */
final class TaskRunner implements ScriptThread {
    private static final LazyLogger LOG = LazyLogger.of(LuaState.class);
    static final String INTERNAL_ERROR =
            "an error inside the controller; the log of the server has its details";
    private static final long FOREVER = Long.MAX_VALUE;
    static final RepeatedFailures FAILURES = new RepeatedFailures(LOG, Level.ERROR);
    private static final int BATCH = 64;
    private static final int MAX_CALL = 64 << 10;
    private static final Pattern CALL_NAME = Pattern.compile("[A-Za-z0-9_.:]{1,64}");
    private static final String[] NIL = {"nil"};
    private static final Work.Call NO_CALL = new Work.Call("", Optional.empty(), value -> {});

    private final Clock clock;
    private final ScriptLog log;
    private final TaskQueue queue;
    private final Globals globals;
    private final LimitHook hook;
    private final ChunkCache chunks;
    private final Predicate<Work.Call> successor;
    private final Runnable mainWaits;
    private final Runnable outOfMemory;
    private final Set<Work.Call> running = // those that are interrupted included
            Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));
    private Work.Call call = NO_CALL; // the one that runs

    /**
     * Creates a runner without tasks.
     *
     * @param successor takes a call that waits when the state ends; returns whether it has
     * @param mainWaits is called whenever the main script begins to wait
     * @param outOfMemory is called when the heap is full, and must not allocate
     */
    TaskRunner(
            Clock clock,
            ScriptLog log,
            LuaLimits limits,
            Globals globals,
            Sandbox sandbox,
            Predicate<Work.Call> successor,
            Runnable mainWaits,
            Runnable outOfMemory) {
        this.clock = clock;
        this.log = log;
        this.queue = new TaskQueue(clock);
        this.globals = globals;
        this.hook = new LimitHook(limits, clock, log, globals, this::runOthers);
        this.chunks = new ChunkCache(sandbox);
        this.successor = successor;
        this.mainWaits = mainWaits;
        this.outOfMemory = outOfMemory;
    }

    // Any thread

    /** Adds a call without waking the thread. */
    boolean submit(Work.Call call) {
        return queue.add(
                hook.isStopped()
                        ? new Work.Call(call.script(), call.source(), call.done(), true)
                        : call);
    }

    /** Wakes the thread. */
    void wake() {
        queue.wake();
    }

    @Override
    public boolean execute(String name, Runnable task) {
        boolean added = queue.add(new Work.Task(name, TaskCause.inherit(task)));
        queue.wake();
        return added;
    }

    @Override
    public Scheduled schedule(String name, Duration delay, Runnable task) {
        return queue.addLater(nanos(delay), new Work.Task(name, TaskCause.inherit(task)));
    }

    private static long nanos(Duration delay) {
        return delay.toSeconds() > Integer.MAX_VALUE ? FOREVER : delay.toNanos();
    }

    /** Refuses all waiting and later work. */
    void close() {
        queue.close(this::refuse);
    }

    /** Ends the calls that run on a thread which is abandoned: their value is nil. */
    void refuseRunning() {
        for (Work.Call each : running.toArray(new Work.Call[0])) {
            end(each, "nil");
        }
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

    // The thread

    LimitHook hook() {
        return hook;
    }

    @Override
    public Optional<InetSocketAddress> caller() {
        return call.source();
    }

    @Override
    public void spend(long steps) {
        hook.spend(steps);
    }

    /** Refuses work that has come too late for {@link #close}. */
    void closePassed() {
        queue.closePassed(this::refuse);
    }

    /** Runs tasks until the state is stopped. */
    void serve() {
        serve(() -> false, FOREVER);
    }

    @Override
    public boolean await(CompletableFuture<?> future, Duration timeout) {
        if (!future.isDone()) {
            future.whenComplete((value, failure) -> queue.wake());
            waitFor(future::isDone, clock.nanos() + nanos(timeout));
        }
        return future.isDone();
    }

    /** Runs tasks until a time of the clock, in nanoseconds. */
    void waitUntil(long deadline) {
        waitFor(() -> false, deadline);
    }

    private void waitFor(BooleanSupplier done, long deadline) {
        boolean main = hook.tasks() == 1;
        if (main) {
            mainWaits.run();
        }
        long since = hook.now();
        long others = hook.others();
        Work.Call interrupted = call;
        // One more that waits without a limit would leave no room for others.
        boolean counts = !main && (call != NO_CALL || accepted() != Accepted.ALL);
        if (!counts) {
            serve(done, deadline);
        } else {
            long end = since + hook.timeLeft() + 1;
            serve(done, deadline - end < 0 ? deadline : end);
        }
        call = interrupted;
        if (counts) {
            hook.waitedInTime(others);
        } else {
            hook.waited(since, others);
        }
        if (main) {
            hook.renew();
        }
    }

    /**
     * Runs tasks until something is done, or until the deadline; those that wait at the beginning
     * get their turn before it.
     */
    private void serve(BooleanSupplier done, long deadline) {
        int turn = Math.min(BATCH, queue.size());
        while (true) {
            hook.check();
            if (done.getAsBoolean()) {
                return;
            }
            if (turn-- <= 0 && deadline != FOREVER && clock.nanos() - deadline >= 0) {
                return;
            }
            if (!runNext()) {
                queue.await(deadline, accepted(), done);
            }
        }
    }

    /** Called when a task has exceeded its slice: runs the waiting work. */
    private void runOthers() {
        Work.Call interrupted = call;
        for (int i = Math.clamp(queue.size(), 1, BATCH); i > 0 && runNext(); i--) {
            // each runs on top of the interrupted task
        }
        call = interrupted;
    }

    private Accepted accepted() {
        if (hook.isStopped() || !hook.roomForTask()) {
            return Accepted.NONE;
        }
        int above = hook.tasks() - 1; // the main script is the first
        return above < LuaLimits.TASKS
                ? Accepted.ALL
                : above < LuaLimits.PROBES ? Accepted.PROBES : Accepted.NONE;
    }

    private boolean runNext() {
        if (hook.isStopped()) {
            hook.check(); // what waits is for the successor
        }
        Work work =
                switch (accepted()) {
                    case ALL -> queue.take();
                    case PROBES -> queue.takeProbe();
                    case NONE -> null;
                };
        switch (work) {
            case null -> {
                return false;
            }
            case Work.Call next -> run(next);
            case Work.Task task -> {
                call = NO_CALL;
                attempt(task.name(), task.body());
            }
        }
        return true;
    }

    private void run(Work.Call next) {
        call = next;
        try {
            running.add(next);
        } catch (OutOfMemoryError e) {
            deliver(next, "nil");
            throw e;
        }
        String[] value = NIL;
        try {
            String[] text = NIL.clone();
            TaskCause.run(
                    null,
                    () ->
                            attempt(
                                    name(next.script()),
                                    () -> text[0] = ValueText.of(evaluate(next.script()))));
            value = text;
        } finally {
            boolean isCut = hook.isStopped() && next.isProbe() && value[0].equals("nil");
            if (!isCut) {
                end(next, value[0]); // also when the heap is full
            } else if (running.remove(next) && !queue.add(next)) { // the successor is asked again
                deliver(next, "nil");
            }
        }
    }

    /** Delivers the value of a call that runs, unless the thread was abandoned meanwhile. */
    private void end(Work.Call ended, String value) {
        if (running.remove(ended)) {
            deliver(ended, value);
        }
    }

    private void deliver(Work.Call ended, String value) {
        try {
            ended.done().accept(value);
        } catch (RuntimeException e) {
            LOG.get().log(Level.ERROR, "the receiver of a value fails", e);
        }
    }

    private void refuse(Work work) {
        if (work instanceof Work.Call refused
                && !((refused.late() || refused.isProbe()) && successor.test(refused))) {
            deliver(refused, "nil");
        }
    }

    /** Returns the value of an expression. */
    LuaValue evaluate(String expression) {
        if (expression.length() > MAX_CALL) {
            throw new LuaError("a call has up to " + MAX_CALL + " characters");
        }
        try {
            return new LuaClosure(chunks.get(expression, name(expression)), globals).call();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the name of a call in logs: what is called, without its arguments. */
    private static String name(String script) {
        if (script.equals("checkAlive()")) {
            return "checkAlive";
        }
        Matcher name = CALL_NAME.matcher(script);
        return name.lookingAt() ? "call of " + name.group() : "call";
    }

    /** Runs a task within its limits, and logs what it throws. */
    private void attempt(String name, Runnable body) {
        hook.enter(name);
        try {
            guard(name, body);
        } catch (ScriptStopped e) {
            // Its reason is in the log. If the whole state ends, the interrupted task ends next.
            LOG.get().log(Level.DEBUG, "{0} ends", name);
        } finally {
            hook.exit();
        }
    }

    /** Runs a part of a task, and logs what it throws. */
    void guard(String name, Runnable body) {
        try {
            body.run();
        } catch (LuaError e) {
            log.add(Level.WARNING, name + ": " + e.getMessage());
        } catch (StackOverflowError e) {
            log.add(Level.WARNING, name + ": stack overflow");
        } catch (OutOfMemoryError e) {
            outOfMemory.run();
        } catch (RuntimeException e) { // of the library of LuaJ, or of an object
            FAILURES.log("task", name + " fails", e);
            log.add(Level.ERROR, name + ": " + INTERNAL_ERROR);
        }
    }
}
