// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.graalvm.polyglot.PolyglotException;

/**
 * A thread with its context, and the event loop that runs scripts in it: one event after the other,
 * each a <i>run</i> that belongs to a request or to none. Fields are of its thread; what others may
 * use says so.
 *
 * <pre>
 *   load all scripts -> serve: events, timers, new requests -> retired: finish -> teardown -> end
 *                          |-- a run exceeds a limit: interrupted, and retired
 *                          '-- it cannot be interrupted: abandoned
 * </pre>
 */
final class Worker {
    private static final long STACK = 4L << 20;

    private record Event(ScriptRequest request, boolean loads, Runnable action) {}

    final Thread thread;
    final Run run;
    private final ScriptPool pool;
    private volatile Version version;

    /** Completes when the modules were evaluated; some may still set themselves up. Any thread. */
    final CompletableFuture<Void> evaluated = new CompletableFuture<>();

    /** Completes with the messages of scripts that have failed. Any thread. */
    final CompletableFuture<Map<Integer, String>> settled = new CompletableFuture<>();

    private final Queue<Event> events = new ConcurrentLinkedQueue<>(); // any thread
    private final AtomicBoolean parked = new AtomicBoolean(); // any thread
    private volatile boolean accepts;
    private volatile boolean retired;
    private volatile boolean abandoned;
    private volatile boolean broken; // the context is closed
    private volatile boolean ended;
    private volatile boolean failed;
    private volatile int inProgress;
    private volatile CompletableFuture<Map<Integer, String>> reloaded = settled;
    private volatile ScriptContext context;

    private final boolean trial;
    private final Timers timers = new Timers();
    private final Set<ScriptRequest> requests = new HashSet<>();
    private final Set<Integer> loading = new HashSet<>();
    private Map<Integer, String> failures = new HashMap<>();
    private CompletableFuture<Map<Integer, String>> loads = settled;
    private final Map<Integer, Integer> lateLoads = new HashMap<>(); // their timers, by script
    private int loadsNow = -1; // the script that is evaluated
    private int lastNumber;
    private boolean tornDown;
    private boolean reports; // what a run has thrown
    private ScriptRequest owner;

    /**
     * @param trial whether {@link #accept} decides when it takes requests; otherwise it takes them
     *     as soon as its scripts are loaded
     */
    Worker(ScriptPool pool, Version version, boolean trial) {
        this.pool = pool;
        this.version = version;
        this.trial = trial;
        this.run = new Run(this, pool.settings);
        this.thread = new Thread(null, this::run, "sirocco-script", STACK);
        thread.setDaemon(true);
    }

    // ---- for others

    ScriptContext context() {
        return context;
    }

    boolean isIdle() {
        return inProgress == 0 && hasRoom();
    }

    boolean hasRoom() {
        return accepts && !retired && inProgress < pool.settings.requestsPerContext();
    }

    /** Returns whether it will soon look for a request by itself. Any thread. */
    boolean isAwakeFor(long now) {
        return isStarting() || !parked.get() && hasRoom() && !run.isLong(now);
    }

    boolean isRetired() {
        return retired;
    }

    boolean isStarting() {
        return !accepts && !retired;
    }

    boolean isQuiet() {
        return inProgress == 0 && events.isEmpty() && !run.isRunning();
    }

    boolean isAbandoned() {
        return abandoned;
    }

    boolean failed() {
        return failed;
    }

    /** Wakes it up; returns false if it is awake. Any thread. */
    boolean unpark() {
        if (parked.get() && parked.compareAndSet(true, false)) {
            LockSupport.unpark(thread);
            return true;
        }
        return false;
    }

    /** Runs an action in the context, on behalf of a request or of none. Any thread. */
    void post(ScriptRequest request, Runnable action) {
        events.add(new Event(request, false, action));
        if (ended) {
            refuseEvents();
        } else {
            unpark();
        }
    }

    void accept() {
        accepts = true;
        unpark();
    }

    /** Takes no more requests, and ends when those in progress are over. Any thread. */
    void retire() {
        retired = true;
        unpark();
    }

    /** Loads some scripts again, of another version. Any thread. */
    CompletableFuture<Map<Integer, String>> reload(Version other, Set<Integer> ids) {
        var done = new CompletableFuture<Map<Integer, String>>();
        reloaded = done;
        events.add(
                new Event(
                        null,
                        false,
                        () -> {
                            version = other;
                            context.files(other);
                            loads = done;
                            failures = new HashMap<>();
                            loading.addAll(ids);
                        }));
        ids.forEach(id -> events.add(new Event(null, true, () -> load(id))));
        post(null, this::loadsDone);
        if (ended) {
            done.completeExceptionally(new IllegalStateException("the context has ended"));
        }
        return done;
    }

    /** Gives up this worker with all its requests. Any thread. */
    void abandon(String why) {
        if (ended || abandoned) {
            return;
        }
        abandoned = true;
        retired = true;
        broken = true;
        ScriptRequest request = run.request();
        String file = request == null ? "" : " at a request to " + request.file;
        ScriptLog.log(Level.ERROR, "A context of scripts was abandoned" + file + ": " + why);
        for (ScriptRequest each : pool.timed) {
            if (each.worker == this) {
                each.fail(ignored -> ScriptRequest.unavailable());
            }
        }
        unpark();
    }

    // ---- the thread

    private void run() {
        try {
            context = new ScriptContext(this, version, pool);
            version.endpoints.forEach(each -> loading.add(each.id()));
            version.endpoints.forEach(each -> attempt(null, true, () -> load(each.id())));
            loadsDone();
            evaluated.complete(null);
            serve();
            tearDown();
        } catch (Throwable e) {
            failed = true;
            ScriptLog.seldom(Level.ERROR, "context", "A context of scripts has failed", e);
            evaluated.completeExceptionally(e);
            settled.completeExceptionally(e);
        } finally {
            end();
        }
    }

    private void load(int id) {
        Runnable late = () -> loaded(id, "its setup did not finish in time");
        lateLoads.put(id, timers.add(pool.settings.setupNanos(), false, late, null));
        loadsNow = id;
        context.load(version.endpoints.get(id));
        loadsNow = -1;
    }

    /** Called by the context when a script is ready, or has failed with a message. */
    void loaded(int id, String failure) {
        Integer late = lateLoads.remove(id);
        if (late != null) {
            timers.clear(late);
        }
        if (!loading.remove(id)) {
            return;
        }
        if (failure != null) {
            failures.put(id, failure);
            Version.Endpoint endpoint = version.endpoints.get(id);
            ScriptLog.log(
                    Level.ERROR, "The script " + endpoint.file() + " was not loaded: " + failure);
        }
        loadsDone();
    }

    private void loadsDone() {
        if (loading.isEmpty()) {
            loads.complete(Map.copyOf(failures));
            if (!trial && loads == settled) {
                accept();
                pool.wake();
            }
        }
    }

    private void serve() {
        while (!broken && !(pool.isClosed() && requests.isEmpty())) {
            boolean something = turn();
            ScriptRequest request = hasRoom() ? pool.take() : null;
            if (request != null) {
                begin(request);
            } else if (!something) {
                if (retired && requests.isEmpty()) {
                    return;
                }
                park();
            }
        }
    }

    /** Runs an event and a timer, if there are; returns whether there was one. */
    private boolean turn() {
        Event event = events.poll();
        if (event != null) {
            attempt(event.request, event.loads, event.action);
        }
        Timers.Timer timer = timers.due();
        if (timer != null) {
            attempt(timer.request, false, timer.action);
        }
        return event != null || timer != null;
    }

    private void park() {
        parked.set(true);
        boolean something =
                !events.isEmpty()
                        || hasRoom() && pool.hasWaiting()
                        || broken
                        || (retired || pool.isClosed()) && requests.isEmpty();
        long nanos = timers.untilNext();
        if (!something && nanos < 0) {
            LockSupport.park(this);
        } else if (!something) {
            LockSupport.parkNanos(this, nanos);
        }
        parked.set(false);
    }

    private void begin(ScriptRequest request) {
        int id = version.find(request.path);
        if (id < 0) {
            request.passed(null, 0, 0);
            return;
        }
        int number = ++lastNumber;
        if (!request.taken(this, number)) {
            return;
        }
        request.file = version.endpoints.get(id).file();
        requests.add(request);
        inProgress = requests.size();
        context.resetLimits();
        attempt(request, false, () -> context.dispatch(number, id, request));
    }

    /** The request needs the context no more. */
    void release(ScriptRequest request) {
        if (requests.remove(request)) {
            inProgress = requests.size();
        }
        timers.end(request);
    }

    /** Does so at once if the caller is the thread of this worker. Any thread. */
    boolean releaseHere(ScriptRequest request) {
        boolean here = Thread.currentThread() == thread;
        if (here) {
            release(request);
        }
        return here;
    }

    ScriptRequest request(int number) {
        ScriptRequest known = run.request();
        if (known != null && known.number == number) {
            return known;
        }
        for (ScriptRequest each : requests) {
            if (each.number == number) {
                return each;
            }
        }
        return null;
    }

    /** Returns the request that has led to the current run, be it over or not; null for none. */
    ScriptRequest owner() {
        return owner;
    }

    /** One run. That of a request that is over ends what the request has left behind. */
    private void attempt(ScriptRequest of, boolean loads, Runnable action) {
        boolean over = of != null && of.isOver();
        if (over && !of.mayCleanUp()) {
            return;
        }
        owner = of;
        ScriptRequest request = over ? null : of;
        run.begin(request, loads);
        if (request == null) {
            pool.watchdogWakes();
        }
        Throwable thrown = null;
        try {
            action.run();
        } catch (Throwable e) {
            thrown = e;
        }
        Run.Limit exceeded = run.end();
        if (exceeded != null) {
            killed(exceeded, request, thrown);
        } else if (thrown != null) {
            failed(request, thrown);
        }
    }

    private void killed(Run.Limit by, ScriptRequest request, Throwable thrown) {
        String file = request == null ? "/" : request.file;
        ScriptPool.report(file, by.reason, ScriptContext.exception(file, by.reason, thrown));
        if (request != null) {
            boolean memory = by == Run.Limit.MEMORY;
            request.fail(ignored -> memory ? ScriptRequest.failed() : ScriptRequest.timedOut());
        }
        if (loadsNow >= 0) {
            notLoaded(by.reason);
        }
    }

    private void notLoaded(String reason) {
        int id = loadsNow;
        loadsNow = -1;
        loaded(id, reason);
    }

    private void failed(ScriptRequest request, Throwable thrown) {
        String file = request == null ? "/" : request.file;
        ScriptException at =
                ScriptContext.exception(file, String.valueOf(thrown.getMessage()), thrown);
        if (thrown instanceof PolyglotException e && (e.isCancelled() || e.isResourceExhausted())) {
            boolean statements = e.isCancelled() && pool.settings.maxStatements() > 0;
            String why = statements ? Run.Limit.STATEMENTS.reason : "it has no more memory";
            ScriptPool.report(file, why, at);
            retire();
            broken = e.isCancelled();
            if (request != null) {
                request.fail(ignored -> ScriptRequest.failed());
            }
        } else if (request != null && reports) {
            request.failed(at, 0, "", false);
        } else if (request != null) {
            reports = true; // in a run, since an error may have code of the script
            attempt(request, false, () -> report(request, thrown, at));
            reports = false;
        } else if (loadsNow >= 0) {
            notLoaded(at.getMessage());
        } else {
            ScriptLog.seldom(Level.ERROR, "run", "A script has failed", at);
        }
    }

    /** Passes a thrown error to the context, which knows what the request does. */
    private void report(ScriptRequest request, Throwable thrown, ScriptException at) {
        Object error = thrown.getMessage();
        if (thrown instanceof PolyglotException e) {
            error =
                    e.isHostException()
                            ? e.asHostException().getMessage()
                            : e.getGuestObject() == null ? e.getMessage() : e.getGuestObject();
        }
        if (!context.thrown(request.number, error)) {
            request.failed(at, 0, "", false);
        }
    }

    Timers timers() {
        return timers;
    }

    // ---- the end

    void tornDown() {
        tornDown = true;
    }

    private void tearDown() {
        if (broken) {
            return;
        }
        long end = System.nanoTime() + pool.settings.cpuNanos();
        attempt(null, false, context::teardown);
        while (!tornDown && !broken && end - System.nanoTime() > 0) {
            if (!turn()) {
                LockSupport.parkNanos(this, 1_000_000);
            }
        }
    }

    private void end() {
        accepts = false;
        retired = true;
        ended = true;
        var end = new IllegalStateException("the context has ended");
        evaluated.completeExceptionally(end);
        settled.completeExceptionally(end);
        reloaded.completeExceptionally(end);
        refuseEvents();
        for (ScriptRequest each : Set.copyOf(requests)) {
            each.fail(ignored -> ScriptRequest.unavailable());
        }
        if (context != null) {
            context.close();
        }
        pool.ended(this);
    }

    private void refuseEvents() {
        for (Event event; (event = events.poll()) != null; ) {
            if (event.request != null) {
                event.request.fail(ignored -> ScriptRequest.unavailable());
            }
        }
    }
}
