// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import io.sirocco.home.lua.TaskQueue.Accepted;
import io.sirocco.home.lua.TaskQueue.Work;
import io.sirocco.home.object.HomeObject;
import io.sirocco.net.Clock;
import io.sirocco.net.log.LazyLogger;
import io.sirocco.net.log.RepeatedFailures;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.luaj.vm2.Globals;
import org.luaj.vm2.LuaClosure;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Prototype;
import org.luaj.vm2.Varargs;

/**
 * The state of the scripts from one boot to the next reset: globals, objects, waiting work, and the
 * thread that runs them.
 *
 * <pre>
 *             checkAlive() returns         the main script ends with an error
 *  STARTING ------------------------> RUNNING ---------------------------------> ERROR
 *     |            (EMERGENCY for the emergency script)
 *     +--> failed: the runtime boots the next script
 * </pre>
 *
 * <p>The main script keeps the thread for ever; in {@code SYSTEM.Loop()} and {@code SYSTEM.Wait()}
 * the thread runs what waits. Everything that waits in a state which ends is refused: a call gets
 * value nil. Used by one thread, its own; any thread may add work.
 */
final class LuaState implements ScriptThread {
    private static final LazyLogger LOG = LazyLogger.of(LuaState.class);
    private static final RepeatedFailures FAILURES = new RepeatedFailures(LOG, Level.ERROR);
    private static final long STACK = 16L << 20;
    private static final long FOREVER = Long.MAX_VALUE;
    private static final long PASS = Duration.ofMillis(960).toNanos();
    private static final int PROBES = 9;
    private static final long NO_MEMORY_PAUSE = Duration.ofSeconds(1).toNanos();
    private static final Duration PROBE_PERIOD = Duration.ofMillis(100);
    private static final int BATCH = 64;
    private static final int MAX_CALL = 64 << 10;
    private static final Pattern CALL_NAME = Pattern.compile("[A-Za-z0-9_.:]{1,64}");
    private static final String[] NIL = {"nil"};
    private static final Work.Call NO_CALL = new Work.Call("", Optional.empty(), value -> {});

    /** The scripts to boot, in the order in which they are tried. */
    enum Script {
        MAIN("MAIN.LUA"),
        EMERGENCY("EMERGNCY.LUA"),
        BUILT_IN("the built-in EMERGNCY.LUA"),
        NONE("no script");

        final String title;

        Script(String title) {
            this.title = title;
        }

        Script next() {
            return values()[Math.min(ordinal() + 1, NONE.ordinal())];
        }
    }

    /** The functions of {@code SYSTEM} for clients. */
    interface Registrations {
        Varargs register(Varargs arguments);

        Varargs destroy(Varargs arguments);

        Varargs fetch(Varargs arguments);
    }

    /** The globals of a state, which hold all that scripts keep. Used by one thread, its own. */
    private static final class ScriptGlobals extends Globals {
        private static final ScriptGlobals EMPTY = new ScriptGlobals();

        /** Forgets them, without allocating. */
        void discard() {
            array = EMPTY.array;
            hash = EMPTY.hash;
            hashEntries = 0;
        }
    }

    /** The thread of a state. */
    static final class StateThread extends Thread {
        private final LuaState state;

        StateThread(LuaState state) {
            super(null, state::run, "sirocco-home-lua", STACK);
            this.state = state;
            setDaemon(true);
        }

        LuaTable strings() {
            return state.strings;
        }
    }

    private final LuaRuntime runtime;
    private final Script script;
    private final Clock clock;
    private final ScriptLog log;
    private final TaskQueue queue;
    private final ScriptGlobals globals = new ScriptGlobals();
    private final ScriptStopped full = new ScriptStopped("out of memory"); // made in time
    private final Sandbox sandbox;
    private final LimitHook hook;
    private final ChunkCache chunks;
    private final Reports reports;
    private final List<HomeObject> objects = new ArrayList<>(); // locked, for an abandoned state
    private final Optional<LuaState> abandoned; // whose objects this one closes
    private final Thread thread = new StateThread(this);
    private final CompletableFuture<LuaState> ended = new CompletableFuture<>();

    private LuaTable strings = new LuaTable();
    private Work.Call call = NO_CALL; // the one that runs
    private int probes; // checkAlive() at boot
    private boolean probing;
    private boolean passing; // a pass has begun
    private long passEnds;
    private long nextWarning;
    private volatile LuaStatus status = LuaStatus.STARTING;
    private volatile boolean outOfMemory;

    LuaState(LuaRuntime runtime, Script script, Optional<LuaState> abandoned) {
        this.runtime = runtime;
        this.script = script;
        this.abandoned = abandoned;
        this.clock = runtime.netClock();
        this.log = runtime.log();
        this.queue = new TaskQueue(clock);
        this.sandbox = new Sandbox(globals, runtime.files(), log);
        this.hook = new LimitHook(runtime.limits(), clock, log, globals, this::runOthers);
        this.chunks = new ChunkCache(sandbox);
        this.reports = new Reports(this, runtime.sink(), runtime.reports(), this::evaluate, log);
        this.nextWarning = clock.nanos();
    }

    // Any thread

    void start() {
        thread.start();
    }

    LuaStatus status() {
        return status;
    }

    /** Completes when the thread has ended. */
    CompletableFuture<LuaState> ended() {
        return ended;
    }

    Script script() {
        return script;
    }

    /** Returns the clients that have registered for reports. */
    List<ReportClient> clients() {
        return reports.clients();
    }

    /** Returns the script to boot if this state ends by itself. */
    Script next() {
        return outOfMemory ? Script.MAIN : script.next(); // no script is to blame for that
    }

    /** Ends all tasks at their next instruction, and the thread. */
    void stop(String reason) {
        hook.stop(new ScriptStopped(reason));
        queue.wake();
    }

    /** Abandons the thread, which has not ended, and refuses all work that waits for it. */
    void abandon() {
        refuseWaiting();
        thread.interrupt();
        log.add(Level.WARNING, "a thread of the scripts does not end and is abandoned");
    }

    /** Refuses all waiting and later work. */
    void refuseWaiting() {
        queue.close(this::refuse);
    }

    void closeObjects() {
        List<HomeObject> closing;
        synchronized (objects) {
            closing = List.copyOf(objects);
            objects.clear();
        }
        closing.forEach(object -> guard(object.name() + ": close", object::close));
    }

    /** Adds a call without waking the thread. */
    boolean submit(Work.Call call) {
        return queue.add(call);
    }

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

    @Override
    public void spend(long steps) {
        hook.spend(steps);
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

    private void run() {
        try {
            abandoned.ifPresent(LuaState::closeObjects);
            runScript();
            hook.enter("tasks");
            reachedWait();
            serve(() -> false, FOREVER);
        } catch (ScriptStopped e) {
            LOG.get().log(Level.DEBUG, "the scripts end: {0}", e.getMessage());
        } catch (OutOfMemoryError e) {
            outOfMemory();
        } catch (Throwable e) { // must not leave the controller without scripts
            LOG.get().log(Level.ERROR, "the thread of the scripts fails", e);
        } finally {
            end();
        }
    }

    /** Boots the successor, which takes the calls from now on, and refuses those that wait. */
    private void end() {
        try {
            closeObjects();
        } catch (OutOfMemoryError e) {
            outOfMemory();
        } finally {
            try {
                if (outOfMemory && status == LuaStatus.STARTING) {
                    LockSupport.parkNanos(NO_MEMORY_PAUSE); // others may fill the heap
                }
                runtime.replace(this, false);
                ended.complete(this);
            } finally {
                refuseWaiting();
                queue.closePassed(this::refuse);
            }
        }
    }

    /** Runs the main script, which returns only if it has no loop. */
    private void runScript() {
        hook.enter(script.title);
        Optional<String> error = Optional.empty();
        try {
            install();
            Optional<Prototype> main = compiled();
            if (main.isPresent()) {
                new LuaClosure(main.get(), globals).call();
            } else if (script != Script.NONE) {
                error = Optional.of("there is no such file");
            }
        } catch (LuaError | IOException | UncheckedIOException e) {
            error = Optional.of(String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            FAILURES.log("script", script.title + " fails", e);
            error = Optional.of(e.toString());
        } catch (StackOverflowError e) {
            error = Optional.of("stack overflow");
        } catch (ScriptStopped e) {
            if (hook.isStopped()) {
                throw e;
            }
            error = Optional.of(e.getMessage());
        } finally {
            hook.exit();
        }
        error.ifPresent(this::scriptFailed);
    }

    private void install() {
        sandbox.install(hook);
        strings = globals.get("string").checktable();
        new SystemFunctions()
                .install(
                        globals,
                        this::setUpObjects,
                        this::pass,
                        millis -> waitUntil(clock.nanos() + millis * 1_000_000),
                        new Registrations() {
                            @Override
                            public Varargs register(Varargs arguments) {
                                return reports.register(arguments, call.source());
                            }

                            @Override
                            public Varargs destroy(Varargs arguments) {
                                return reports.destroy(arguments);
                            }

                            @Override
                            public Varargs fetch(Varargs arguments) {
                                return reports.fetch(arguments.arg1());
                            }
                        },
                        log);
        new ObjectFunctions(runtime.factory(), runtime.factory().context(this, globals), objects)
                .install(globals);
    }

    private Optional<Prototype> compiled() throws IOException {
        byte[] builtIn;
        try (InputStream in = LuaState.class.getResourceAsStream("EMERGNCY.LUA")) {
            builtIn = in.readAllBytes();
        }
        Optional<byte[]> text =
                switch (script) {
                    case MAIN -> runtime.files().read(script.title);
                    case EMERGENCY -> {
                        runtime.files().writeIfMissing(script.title, builtIn);
                        yield runtime.files().read(script.title);
                    }
                    case BUILT_IN -> Optional.of(builtIn);
                    case NONE -> Optional.empty();
                };
        return text.isPresent()
                ? Optional.of(sandbox.compile(text.get(), script.title))
                : Optional.empty();
    }

    private void scriptFailed(String error) {
        log.add(Level.ERROR, script.title + ": " + error);
        if (status == LuaStatus.STARTING && script != Script.NONE) {
            hook.stop(new ScriptStopped(script.title + " does not start"));
            hook.check();
        }
        status = LuaStatus.ERROR;
    }

    // Boot

    /**
     * Called when the main script waits for the first time or has ended: checks that it is alive.
     */
    private void reachedWait() {
        if (probing) {
            return;
        }
        probing = true;
        if (script == Script.NONE) {
            booted(LuaStatus.ERROR);
        } else {
            execute("checkAlive() at boot", this::probe);
        }
    }

    private void probe() {
        probes++;
        try {
            globals.get("checkAlive").call();
        } catch (LuaError e) {
            if (probes < PROBES) {
                schedule("checkAlive() at boot", PROBE_PERIOD, this::probe);
            } else {
                bootFailed("checkAlive() fails: " + e.getMessage());
            }
            return;
        } catch (ScriptStopped | StackOverflowError e) {
            bootFailed("checkAlive() fails");
            throw e;
        }
        booted(script == Script.MAIN ? LuaStatus.RUNNING : LuaStatus.EMERGENCY);
    }

    private void bootFailed(String error) {
        if (!hook.isStopped()) {
            log.add(Level.ERROR, script.title + ": " + error);
            hook.stop(new ScriptStopped(script.title + " does not start"));
        }
    }

    private void booted(LuaStatus as) {
        if (status == LuaStatus.STARTING) {
            status = as; // unless the script has failed after it began to wait
        }
        Level level = as == LuaStatus.RUNNING ? Level.INFO : Level.WARNING;
        log.add(level, script.title + ": " + status);
        runtime.booted(this);
    }

    // What the main script waits with

    private List<HomeObject> objects() {
        synchronized (objects) {
            return List.copyOf(objects);
        }
    }

    private void setUpObjects() {
        for (HomeObject object : objects()) {
            guard(object.name() + ": setUp", object::setUp);
        }
    }

    /** {@code SYSTEM.Loop()}: one pass of all objects, then tasks until the pass ends. */
    private void pass() {
        long now = clock.nanos();
        boolean late = !passing || now - passEnds > PASS;
        passing = true;
        passEnds = (late ? now : passEnds) + PASS;
        for (HomeObject object : objects()) {
            guard(object.name() + ": loop", object::loop);
        }
        long took = clock.nanos() - now;
        if (took > PASS && clock.nanos() - nextWarning >= 0) {
            nextWarning = clock.nanos() + Duration.ofMinutes(1).toNanos();
            log.add(
                    Level.WARNING,
                    "SYSTEM.Loop(): a pass of the objects took " + took / 1_000_000 + " ms");
        }
        waitUntil(passEnds);
    }

    @Override
    public boolean await(CompletableFuture<?> future, Duration timeout) {
        if (!future.isDone()) {
            future.whenComplete((value, failure) -> queue.wake());
            waitFor(future::isDone, clock.nanos() + nanos(timeout));
        }
        return future.isDone();
    }

    @Override
    public Optional<InetAddress> caller() {
        return call.source();
    }

    private void waitUntil(long deadline) {
        waitFor(() -> false, deadline);
    }

    private void waitFor(BooleanSupplier done, long deadline) {
        boolean main = hook.tasks() == 1;
        if (main) {
            reachedWait();
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

    // Tasks

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
            deliver(next, value[0]); // also when the heap is full
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
        if (work instanceof Work.Call refused) {
            deliver(refused, "nil");
        }
    }

    /** Returns the value of an expression. */
    private LuaValue evaluate(String expression) {
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

    private void guard(String name, Runnable body) {
        try {
            body.run();
        } catch (LuaError e) {
            log.add(Level.WARNING, name + ": " + e.getMessage());
        } catch (StackOverflowError e) {
            log.add(Level.WARNING, name + ": stack overflow");
        } catch (OutOfMemoryError e) {
            outOfMemory();
        } catch (RuntimeException e) { // of the library of LuaJ, or of an object
            FAILURES.log("task", name + " fails", e);
            log.add(Level.ERROR, name + ": " + e);
        }
    }

    /**
     * The heap is full, by the scripts most likely: discards them and all that they keep, before
     * anything is allocated.
     */
    private void outOfMemory() {
        outOfMemory = true;
        hook.stop(full);
        globals.discard();
        try {
            log.add(Level.ERROR, "out of memory: the scripts begin anew");
        } catch (OutOfMemoryError e) {
            // The successor is worth more than this line.
        }
    }
}
