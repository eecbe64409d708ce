// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import com.sun.management.ThreadMXBean;
import java.lang.System.Logger.Level;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.graalvm.polyglot.PolyglotException;
import org.graalvm.polyglot.Value;

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
    /** Limits whose excess ends a run. */
    enum Limit {
        TIMEOUT("it exceeded the timeout"),
        CPU("it exceeded cpuTime"),
        MEMORY("it exceeded maxAllocation"),
        STATEMENTS("it exceeded maxStatements");

        final String reason;

        Limit(String reason) {
            this.reason = reason;
        }
    }

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final long STACK = 4L << 20;
    private static final Duration INTERRUPT = Duration.ofSeconds(2);

    private record Event(ScriptRequest request, boolean loads, Runnable action) {}

    private static final class Timer implements Comparable<Timer> {
        final int id;
        final long every; // negative if it does not repeat
        final Value action;
        final ScriptRequest request; // null for none
        long at;

        Timer(int id, long at, long every, Value action, ScriptRequest request) {
            this.id = id;
            this.at = at;
            this.every = every;
            this.action = action;
            this.request = request;
        }

        @Override
        public int compareTo(Timer other) {
            int byTime = Long.compare(at - other.at, 0);
            return byTime != 0 ? byTime : Integer.compare(id, other.id);
        }
    }

    /** The end of a run by a limit. */
    private record Kill(Limit limit, CountDownLatch done) {}

    final Thread thread;
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
    private final PriorityQueue<Timer> timers = new PriorityQueue<>();
    private final Map<Integer, Timer> timersById = new HashMap<>();
    private final Set<ScriptRequest> requests = new HashSet<>();
    private final Set<Integer> loading = new HashSet<>();
    private Map<Integer, String> failures = new HashMap<>();
    private CompletableFuture<Map<Integer, String>> loads = settled;
    private final Map<Integer, Timer> lateLoads = new HashMap<>();
    private int loadsNow = -1; // the script that is evaluated
    private int lastNumber;
    private int lastTimer;
    private boolean tornDown;

    // The run, guarded by this unless volatile:
    private volatile ScriptRequest current;
    private volatile boolean running;
    private volatile boolean loadsScript; // the run loads a script
    private volatile long run; // its number
    private volatile long runBegan;
    private volatile long runAllocated;
    private Kill kill;
    private long watchedRun = -1; // of the watchdog
    private long watchedCpu;

    /**
     * @param trial whether somebody decides when it takes requests; otherwise it does as soon as it
     *     can
     */
    Worker(ScriptPool pool, Version version, boolean trial) {
        this.pool = pool;
        this.version = version;
        this.trial = trial;
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

    boolean isRetired() {
        return retired;
    }

    boolean isStarting() {
        return !accepts && !retired;
    }

    boolean isRunning() {
        return running;
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

    // ---- limits; for the watchdog

    /** Ends the run if it exceeds a limit; returns what it has allocated. */
    long check(long now) {
        if (!running) {
            return 0;
        }
        long seen = run;
        ScriptRequest request = current;
        long allocated = THREADS.getThreadAllocatedBytes(thread.threadId()) - runAllocated;
        long before = request == null ? 0 : request.allocated;
        if (allocated + before > pool.settings.maxAllocation()) {
            kill(seen, Limit.MEMORY);
            return allocated;
        }
        long most = loadsScript ? pool.settings.setupNanos() : pool.settings.cpuNanos();
        if (watchedRun != seen) {
            watchedRun = seen;
            watchedCpu = THREADS.getThreadCpuTime(thread.threadId());
        } else if (now - runBegan > most
                && THREADS.getThreadCpuTime(thread.threadId()) - watchedCpu > most) {
            kill(seen, Limit.CPU);
        }
        return allocated;
    }

    /** Ends the run, whichever it is. */
    void kill(Limit limit) {
        kill(run, limit);
    }

    /** Ends the run if it is one of this request. */
    void timedOut(ScriptRequest request) {
        long seen = run;
        if (running && current == request) {
            kill(seen, Limit.TIMEOUT);
        }
    }

    private void kill(long which, Limit limit) {
        Kill by;
        synchronized (this) {
            if (!running || run != which || kill != null) {
                return;
            }
            by = new Kill(limit, new CountDownLatch(1));
            kill = by;
        }
        if (!loadsScript) {
            retire(); // a script that was not loaded leaves nothing behind
        }
        Thread.ofPlatform()
                .daemon()
                .name("sirocco-script-interrupt")
                .start(
                        () -> {
                            try {
                                context.interrupt(INTERRUPT);
                            } catch (TimeoutException e) {
                                abandon("it cannot be interrupted");
                            } catch (RuntimeException e) {
                                ScriptLog.log(Level.ERROR, "A script was not interrupted", e);
                            } finally {
                                by.done.countDown();
                            }
                        });
    }

    /** Gives up this worker with all its requests. Any thread. */
    void abandon(String why) {
        if (ended || abandoned) {
            return;
        }
        abandoned = true;
        retired = true;
        broken = true;
        ScriptRequest request = current;
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
            ScriptLog.log(Level.ERROR, "A context of scripts has failed", e);
            evaluated.completeExceptionally(e);
            settled.completeExceptionally(e);
        } finally {
            end();
        }
    }

    private void load(int id) {
        long end = System.nanoTime() + pool.settings.setupNanos();
        var late = new Timer(++lastTimer, end, -1, null, null);
        lateLoads.put(id, late);
        timers.add(late);
        loadsNow = id;
        context.load(version.endpoints.get(id));
        loadsNow = -1;
    }

    /** Called by the context when a script is ready, or has failed with a message. */
    void loaded(int id, String failure) {
        Timer late = lateLoads.remove(id);
        if (late != null) {
            timers.remove(late);
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
            Event event = events.poll();
            if (event != null) {
                attempt(event.request, event.loads, event.action);
                continue;
            }
            Timer timer = dueTimer();
            if (timer != null) {
                fire(timer);
                continue;
            }
            if (hasRoom()) {
                ScriptRequest request = pool.take();
                if (request != null) {
                    begin(request);
                    continue;
                }
            }
            if (retired && requests.isEmpty()) {
                return;
            }
            park();
        }
    }

    private void park() {
        parked.set(true);
        boolean something =
                !events.isEmpty()
                        || hasRoom() && pool.hasWaiting()
                        || broken
                        || (retired || pool.isClosed()) && requests.isEmpty();
        if (!something) {
            Timer first = timers.peek();
            if (first == null) {
                LockSupport.park(this);
            } else {
                LockSupport.parkNanos(this, Math.max(1, first.at - System.nanoTime()));
            }
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
        attempt(request, false, () -> context.dispatch(number, id, request.head));
    }

    /** The request needs the context no more. */
    void release(ScriptRequest request) {
        if (requests.remove(request)) {
            inProgress = requests.size();
        }
    }

    /** Does so at once if the caller is the thread of this worker. Any thread. */
    boolean releaseHere(ScriptRequest request) {
        boolean here = Thread.currentThread() == thread;
        if (here) {
            release(request);
        }
        return here;
    }

    ScriptRequest current() {
        return current;
    }

    ScriptRequest request(int number) {
        ScriptRequest known = current;
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

    /** One run. */
    private void attempt(ScriptRequest request, boolean loads, Runnable action) {
        if (request != null && request.isOver()) {
            return;
        }
        if (request == null) {
            pool.watchdogWakes();
        }
        runAllocated = THREADS.getCurrentThreadAllocatedBytes();
        runBegan = System.nanoTime();
        current = request;
        loadsScript = loads;
        synchronized (this) {
            run++;
            running = true;
        }
        Throwable thrown = null;
        try {
            action.run();
        } catch (Throwable e) {
            thrown = e;
        }
        Kill by;
        synchronized (this) {
            running = false;
            by = kill;
        }
        if (request != null) {
            request.allocated += THREADS.getCurrentThreadAllocatedBytes() - runAllocated;
        }
        current = null;
        if (by != null) {
            killed(by, request, thrown);
        } else if (thrown != null) {
            failed(request, thrown);
        }
    }

    private void killed(Kill by, ScriptRequest request, Throwable thrown) {
        boolean interrupted = Thread.interrupted();
        while (true) {
            try {
                by.done.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        Thread.interrupted(); // an interrupt of the context may leave it behind
        kill = null;
        String file = request == null ? "/" : request.file;
        ScriptException at = ScriptContext.exception(file, by.limit.reason, thrown);
        if (!interrupted || by.limit != Limit.TIMEOUT) {
            ScriptPool.report(file, by.limit.reason, at);
        }
        if (request != null) {
            request.fail(
                    ignored ->
                            by.limit == Limit.MEMORY
                                    ? ScriptRequest.failed()
                                    : ScriptRequest.timedOut());
        }
        if (loadsNow >= 0) {
            int id = loadsNow;
            loadsNow = -1;
            loaded(id, by.limit.reason);
        }
    }

    private void failed(ScriptRequest request, Throwable thrown) {
        String file = request == null ? "/" : request.file;
        ScriptException at =
                ScriptContext.exception(file, String.valueOf(thrown.getMessage()), thrown);
        if (thrown instanceof PolyglotException e && (e.isCancelled() || e.isResourceExhausted())) {
            boolean statements = e.isCancelled() && pool.settings.maxStatements() > 0;
            String why = statements ? Limit.STATEMENTS.reason : "it has no more memory";
            ScriptPool.report(file, why, at);
            retire();
            broken = e.isCancelled();
            if (request != null) {
                request.fail(ignored -> ScriptRequest.failed());
            }
        } else if (request != null) {
            report(request, thrown, at);
        } else if (loadsNow >= 0) {
            int id = loadsNow;
            loadsNow = -1;
            loaded(id, at.getMessage());
        } else {
            ScriptLog.seldom(Level.ERROR, "run", "A script has failed", at);
        }
    }

    /** Tells the context of what has left it, which knows what the request does. */
    private void report(ScriptRequest request, Throwable thrown, ScriptException at) {
        Object error = thrown.getMessage();
        if (thrown instanceof PolyglotException e) {
            error =
                    e.isHostException()
                            ? e.asHostException().getMessage()
                            : e.getGuestObject() == null ? e.getMessage() : e.getGuestObject();
        }
        current = request;
        try {
            if (!context.thrown(request.number, error)) {
                request.failed(at, 0, "", false);
            }
        } catch (RuntimeException e) {
            request.failed(at, 0, "", false);
        } finally {
            current = null;
        }
    }

    // ---- timers

    int timer(double millis, boolean repeats, Value action) {
        long nanos = (long) (Math.clamp(millis, repeats ? 1 : 0, 1e9) * 1e6);
        var timer =
                new Timer(
                        ++lastTimer,
                        System.nanoTime() + nanos,
                        repeats ? nanos : -1,
                        action,
                        current);
        timers.add(timer);
        timersById.put(timer.id, timer);
        return timer.id;
    }

    void clearTimer(int id) {
        Timer timer = timersById.remove(id);
        if (timer != null) {
            timers.remove(timer);
        }
    }

    private Timer dueTimer() {
        Timer first = timers.peek();
        return first != null && first.at - System.nanoTime() <= 0 ? timers.poll() : null;
    }

    private void fire(Timer timer) {
        if (timer.action == null) {
            lateLoads.entrySet().stream()
                    .filter(entry -> entry.getValue() == timer)
                    .map(Map.Entry::getKey)
                    .findFirst()
                    .ifPresent(id -> loaded(id, "its setup did not finish in time"));
            return;
        }
        if (timer.every >= 0) {
            timer.at = System.nanoTime() + timer.every;
            timers.add(timer);
        } else {
            timersById.remove(timer.id);
        }
        if (timer.request != null && timer.request.isOver()) {
            attempt(null, false, timer.action::executeVoid);
        } else {
            attempt(timer.request, false, timer.action::executeVoid);
        }
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
            Event event = events.poll();
            Timer timer = event == null ? dueTimer() : null;
            if (event != null) {
                attempt(event.request, event.loads, event.action);
            } else if (timer != null) {
                fire(timer);
            } else {
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

    /** Returns bytes as scripts can read them. Any thread. */
    ByteBuffer buffer(byte[] bytes) {
        return ByteBuffer.wrap(bytes);
    }
}
