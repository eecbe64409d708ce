// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import io.sirocco.http.Monitor;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The requests that wait for a context, and the workers that serve them. A request goes to an idle
 * worker; if there is none, to a new one; if there are as many as may be, to one that waits for
 * something else. No more workers are woken at a time than there are cores. Any thread.
 */
final class ScriptPool {
    private static final int CORES = Runtime.getRuntime().availableProcessors();

    final ScriptOptions.Settings settings;
    final KeyValues keyValues;
    final Completions completions = new Completions();

    /** Requests for which a timeout applies. */
    final Set<ScriptRequest> timed = ConcurrentHashMap.newKeySet();

    private final Queue<ScriptRequest> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waitingCount = new AtomicInteger();
    private final List<Worker> workers = new CopyOnWriteArrayList<>();
    private final ScriptWatchdog watchdog = new ScriptWatchdog(this);
    private volatile Version current; // null until the first is ready
    private volatile boolean closed;

    ScriptPool(ScriptOptions.Settings settings) {
        this.settings = settings;
        keyValues = new KeyValues(settings.kvEntries(), settings.kvBytes(), System::nanoTime);
    }

    /** Returns the version that new requests get, or null. */
    Version current() {
        return current;
    }

    boolean isClosed() {
        return closed;
    }

    List<Worker> workers() {
        return workers;
    }

    /** Takes a request; returns false if too many wait. */
    boolean submit(ScriptRequest request) {
        if (closed || waitingCount.incrementAndGet() > settings.maxWaiting()) {
            if (!closed) {
                waitingCount.decrementAndGet();
            }
            return false;
        }
        time(request);
        waiting.add(request);
        wake();
        return true;
    }

    /** Has the timeout of a request watched. */
    void time(ScriptRequest request) {
        timed.add(request);
        watchdog.wake();
    }

    /** Has runs watched that belong to no request. */
    void watchdogWakes() {
        watchdog.wake();
    }

    boolean hasWaiting() {
        return !waiting.isEmpty();
    }

    /** Returns a request that waits, or null. */
    ScriptRequest take() {
        ScriptRequest request = waiting.poll();
        if (request != null) {
            waitingCount.decrementAndGet();
        }
        return request;
    }

    /** Wakes or starts a worker for a request that waits, unless there is one for each core. */
    void wake() {
        if (enoughAreAwake()) {
            return;
        }
        for (Worker each : workers) {
            if (each.isIdle() && each.unpark()) {
                return;
            }
        }
        if (startAnother()) {
            return;
        }
        for (Worker each : workers) {
            if (each.hasRoom() && each.unpark()) {
                return;
            }
        }
        // All are running, and look for requests before they rest.
    }

    /**
     * Returns whether another worker would only take turns with those that look for requests before
     * they rest: waking it would cost more than a short script. If they turn out to be busy for
     * longer, the watchdog wakes another.
     */
    private boolean enoughAreAwake() {
        int left = CORES;
        long now = System.nanoTime();
        for (Worker each : workers) {
            if (each.isAwakeFor(now) && --left == 0) {
                return true;
            }
        }
        return false;
    }

    private boolean startAnother() {
        Version version = current;
        if (version == null || version.endpoints.isEmpty() || closed || !roomForAnother()) {
            return false;
        }
        Worker another;
        synchronized (this) {
            if (closed || !roomForAnother()) {
                return false;
            }
            another = new Worker(this, version, false);
            workers.add(another);
        }
        if (current != version) {
            another.retire(); // published a moment ago
        }
        another.thread.start();
        return true;
    }

    /** Retired and abandoned workers count, but as many may come in their place. */
    private boolean roomForAnother() {
        int serving = 0;
        int starting = 0;
        for (Worker each : workers) {
            serving += each.isRetired() ? 0 : 1;
            starting += each.isStarting() ? 1 : 0;
        }
        return serving < settings.contexts()
                && workers.size() < 2 * settings.contexts()
                && starting < waitingCount.get();
    }

    /** Starts a worker that loads a version which is not published yet. */
    void start(Worker worker) {
        workers.add(worker);
        worker.thread.start();
    }

    /** Makes a version the one that new requests get. */
    void publish(Version version, Worker worker) {
        current = version;
        for (Worker each : workers) {
            if (each != worker) {
                each.retire();
            }
        }
        if (worker != null) {
            worker.accept();
        } else {
            passWaiting();
        }
        for (int i = waitingCount.get(); i > 0; i--) {
            wake();
        }
    }

    private void passWaiting() {
        for (ScriptRequest request; (request = take()) != null; ) {
            request.passed(null, 0, 0);
        }
    }

    /** Responds 503 to the requests that wait. */
    void refuseWaiting() {
        for (ScriptRequest request; (request = take()) != null; ) {
            request.fail(ignored -> ScriptRequest.unavailable());
        }
    }

    /** Returns whether nothing is kept of any request. */
    boolean isQuiet() {
        return waiting.isEmpty()
                && waitingCount.get() == 0
                && timed.isEmpty()
                && completions.pending.isEmpty()
                && workers.stream().allMatch(Worker::isQuiet);
    }

    /** Called by a worker that has ended. */
    void ended(Worker worker) {
        workers.remove(worker);
        if (hasWaiting() && !closed) {
            wake();
        }
        if (worker.failed() && current != null && workers.isEmpty()) {
            refuseWaiting();
        }
    }

    void close(Duration longest) {
        synchronized (this) {
            closed = true;
        }
        refuseWaiting();
        workers.forEach(Worker::retire);
        long end = System.nanoTime() + longest.toNanos();
        boolean interrupted = false;
        for (Worker each : workers) {
            try {
                long left = (end - System.nanoTime()) / 1_000_000;
                if (left > 0) {
                    each.thread.join(left);
                }
            } catch (InterruptedException e) {
                interrupted = true;
                break;
            }
        }
        for (Worker each : workers) {
            each.abandon("the scripts were closed");
        }
        watchdog.wake();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Tells scripts that responses have ended. Any thread. */
    static final class Completions implements Monitor {
        private final Map<String, ScriptRequest> pending = new ConcurrentHashMap<>();
        volatile boolean used;

        void await(String id, ScriptRequest request) {
            pending.put(id, request);
        }

        /** Returns whether the end of this request was awaited. */
        boolean remove(String id) {
            return pending.remove(id) != null;
        }

        @Override
        public void opened(OpenedConnection connection) {
            used = true;
        }

        @Override
        public void completed(CompletedRequest request) {
            used = true;
            if (!pending.isEmpty()) {
                ScriptRequest waits = pending.remove(request.id());
                if (waits != null) {
                    waits.completed(
                            request.status(),
                            request.isComplete(),
                            request.bytesOut(),
                            request.nanos() / 1e6);
                }
            }
        }
    }

    /** Logs that a request was ended by a limit. */
    static void report(String file, String reason, Throwable thrown) {
        ScriptLog.seldom(
                Level.WARNING,
                file + reason,
                "A request to the script " + file + " was ended: " + reason,
                thrown);
    }
}
