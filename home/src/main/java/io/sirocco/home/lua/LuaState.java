// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import io.sirocco.home.object.HomeObject;
import io.sirocco.net.Clock;
import io.sirocco.net.log.LazyLogger;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.luaj.vm2.Globals;
import org.luaj.vm2.LuaClosure;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.Prototype;
import org.luaj.vm2.Varargs;

/**
 * The state of the scripts from one boot to the next reset: globals, objects, and the thread that
 * boots them and then runs their tasks.
 *
 * <pre>
 *             checkAlive() returns         the main script ends with an error
 *  STARTING ------------------------> RUNNING ---------------------------------> ERROR
 *     |            (EMERGENCY for the emergency script)
 *     +--> failed: the runtime boots the next script
 * </pre>
 *
 * <p>The main script keeps the thread for ever; in {@code SYSTEM.Loop()} and {@code SYSTEM.Wait()}
 * the {@link TaskRunner} runs what waits. Used by one thread, its own, unless a comment says
 * otherwise.
 */
final class LuaState {
    private static final LazyLogger LOG = LazyLogger.of(LuaState.class);
    private static final long STACK = 16L << 20;
    private static final long PASS = Duration.ofMillis(960).toNanos();
    private static final int PROBES = 9;
    private static final long NO_MEMORY_PAUSE = Duration.ofSeconds(1).toNanos();
    private static final Duration PROBE_PERIOD = Duration.ofMillis(100);

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
    private final ScriptGlobals globals = new ScriptGlobals();
    private final ScriptStopped full = new ScriptStopped("out of memory"); // made in time
    private final Sandbox sandbox;
    private final TaskRunner tasks;
    private final LimitHook hook; // that of the tasks
    private final Reports reports;
    private final List<HomeObject> objects = new ArrayList<>(); // locked, for an abandoned state
    private final Optional<LuaState> abandoned; // whose objects this one closes
    private final Thread thread = new StateThread(this);
    private final CompletableFuture<LuaState> ended = new CompletableFuture<>();

    private LuaTable strings = new LuaTable();
    private int probes; // checkAlive() at boot
    private boolean probing;
    private boolean setUp; // SYSTEM.Init() was called
    private boolean setUpAgain; // more than once
    private boolean passing; // a pass has begun
    private long passEnds;
    private long nextWarning;
    private volatile LuaStatus status = LuaStatus.STARTING;
    private volatile boolean closing; // the scripts have ended
    private volatile boolean outOfMemory;

    LuaState(LuaRuntime runtime, Script script, Optional<LuaState> abandoned) {
        this.runtime = runtime;
        this.script = script;
        this.abandoned = abandoned;
        this.clock = runtime.netClock();
        this.log = runtime.log();
        this.sandbox = new Sandbox(globals, runtime.files(), log);
        this.tasks =
                new TaskRunner(
                        clock,
                        log,
                        runtime.limits(),
                        globals,
                        sandbox,
                        call -> runtime.handOver(this, call),
                        this::reachedWait,
                        this::outOfMemory);
        this.hook = tasks.hook();
        this.reports =
                new Reports(
                        tasks,
                        runtime.sink(),
                        runtime.reports(),
                        tasks::evaluate,
                        hook::isStopped,
                        log);
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
        tasks.wake();
    }

    /** Returns whether its scripts have ended, and its objects are closed or about to be. */
    boolean isClosing() {
        return closing;
    }

    /**
     * Abandons the thread, which has not ended: refuses all work that waits for it, and ends the
     * calls that run on it.
     */
    void abandon() {
        refuseWaiting();
        thread.interrupt();
        log.add(Level.WARNING, "a thread of the scripts does not end and is abandoned");
        tasks.refuseRunning();
    }

    /** Refuses all waiting and later work. */
    void refuseWaiting() {
        tasks.close();
    }

    /** Returns what runs the tasks of this state. */
    TaskRunner tasks() {
        return tasks;
    }

    /** Closes all objects; what takes time they do beside each other. */
    void closeObjects() {
        List<HomeObject> all;
        synchronized (objects) {
            all = List.copyOf(objects);
            objects.clear();
        }
        all.forEach(object -> tasks.guard(object.name() + ": close", object::close));
        all.forEach(object -> tasks.guard(object.name() + ": close", object::awaitClose));
    }

    // The thread

    private void run() {
        try {
            abandoned.ifPresent(LuaState::closeObjects);
            runScript();
            hook.enter("tasks");
            reachedWait();
            tasks.serve();
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
        closing = true;
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
                tasks.closePassed();
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
                error = Optional.of("there is no such file; write root/a/" + script.title);
            }
        } catch (LuaError | IOException | UncheckedIOException e) {
            error = Optional.of(String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            TaskRunner.FAILURES.log("script", script.title + " fails", e);
            error = Optional.of(TaskRunner.INTERNAL_ERROR);
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
                        millis -> tasks.waitUntil(clock.nanos() + millis * 1_000_000),
                        new Registrations() {
                            @Override
                            public Varargs register(Varargs arguments) {
                                return reports.register(arguments, tasks.caller());
                            }

                            @Override
                            public Varargs destroy(Varargs arguments) {
                                return reports.destroy(arguments, tasks.caller());
                            }

                            @Override
                            public Varargs fetch(Varargs arguments) {
                                return reports.fetch(arguments.arg1());
                            }
                        },
                        log);
        new ObjectFunctions(runtime.factory(), runtime.factory().context(tasks, globals), objects)
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
            // Later, if only by nothing: that is accepted however many calls wait.
            tasks.schedule("checkAlive() at boot", Duration.ZERO, this::probe);
        }
    }

    private void probe() {
        probes++;
        try {
            globals.get("checkAlive").call();
        } catch (LuaError e) {
            if (probes < PROBES) {
                tasks.schedule("checkAlive() at boot", PROBE_PERIOD, this::probe);
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
        boolean emergency = status == LuaStatus.EMERGENCY;
        log.add(
                level,
                script.title + ": " + (emergency ? "the emergency script runs instead" : status));
        runtime.booted(this);
    }

    // What the main script waits with

    private List<HomeObject> objects() {
        synchronized (objects) {
            return List.copyOf(objects);
        }
    }

    /** {@code SYSTEM.Init()}: a second one would begin what the first has begun again. */
    private void setUpObjects() {
        if (setUp) {
            if (!setUpAgain) {
                setUpAgain = true;
                log.add(
                        Level.WARNING,
                        "SYSTEM.Init() has set up the objects already; further calls have no"
                                + " effect until a reset");
            }
            return;
        }
        setUp = true;
        for (HomeObject object : objects()) {
            tasks.guard(object.name() + ": setUp", object::setUp);
        }
    }

    /** {@code SYSTEM.Loop()}: one pass of all objects, then tasks until the pass ends. */
    private void pass() {
        long now = clock.nanos();
        boolean late = !passing || now - passEnds > PASS;
        passing = true;
        passEnds = (late ? now : passEnds) + PASS;
        for (HomeObject object : objects()) {
            tasks.guard(object.name() + ": loop", object::loop);
        }
        long took = clock.nanos() - now;
        if (took > PASS && clock.nanos() - nextWarning >= 0) {
            nextWarning = clock.nanos() + Duration.ofMinutes(1).toNanos();
            log.add(
                    Level.WARNING,
                    "SYSTEM.Loop(): a pass of the objects took " + took / 1_000_000 + " ms");
        }
        tasks.waitUntil(passEnds);
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
