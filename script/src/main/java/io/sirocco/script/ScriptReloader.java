// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * Looks at the folder four times a second, and loads a new version when it has changed. Its methods
 * are for any thread.
 *
 * <pre>
 *   changed -> read -> a worker loads all scripts -> those that fail get their old text
 *           -> published: new requests go there, old workers finish theirs
 * </pre>
 */
final class ScriptReloader {
    private static final long EVERY_MILLIS = 250;

    /** Completes when the first version was loaded. */
    final CompletableFuture<Void> ready = new CompletableFuture<>();

    private final ScriptPool pool;
    private final ScriptFolder folder;
    private final Thread thread;
    private Map<String, ScriptFolder.Stamp> stamps;
    private Set<String> good = Set.of(); // the paths whose scripts of the current version work
    private int number = 1;
    private volatile Version known;
    private boolean closed; // guarded by this

    ScriptReloader(ScriptPool pool, ScriptFolder folder) throws IOException {
        this.pool = pool;
        this.folder = folder;
        stamps = folder.look();
        known = Version.of(number, folder.read(stamps.keySet()));
        thread = Thread.ofPlatform().daemon().name("sirocco-script-reload").unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /** Returns the version that decides which requests scripts see. */
    Version known() {
        return known;
    }

    void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        thread.interrupt();
    }

    private void run() {
        try {
            load(known);
            while (rest()) {
                look();
            }
        } catch (InterruptedException e) {
            // closed
        }
    }

    private synchronized boolean rest() throws InterruptedException {
        if (!closed) {
            wait(EVERY_MILLIS);
        }
        return !closed;
    }

    private void look() throws InterruptedException {
        try {
            Map<String, ScriptFolder.Stamp> now = folder.look();
            if (now.equals(stamps)) {
                return;
            }
            Map<String, String> texts = folder.read(now.keySet());
            if (folder.look().equals(now)) { // otherwise somebody is still writing
                stamps = now;
                load(Version.of(++number, texts));
            }
        } catch (IOException | RuntimeException e) {
            ScriptLog.seldom(Level.ERROR, "look", "The folder of scripts cannot be read", e);
        }
    }

    private void load(Version version) throws InterruptedException {
        if (version.endpoints.isEmpty()) {
            publish(version, null);
            good = Set.of();
            ready.complete(null);
            return;
        }
        var worker = new Worker(pool, version, true);
        pool.start(worker);
        try {
            worker.evaluated.get();
            if (pool.current() == null) {
                publish(version, worker); // nothing is replaced, so scripts that are ready serve
            }
            Map<Integer, String> failures = worker.settled.get();
            Set<String> works = new HashSet<>();
            version.endpoints.forEach(each -> works.add(each.key()));
            failures.keySet().forEach(id -> works.remove(version.endpoints.get(id).key()));
            Version old = pool.current();
            if (old != version) {
                publish(repaired(version, old, worker, failures, works), worker);
            }
            good = works;
            ready.complete(null);
        } catch (ExecutionException e) {
            ScriptLog.log(Level.ERROR, "The scripts were not loaded", e.getCause());
            pool.refuseWaiting();
            ready.completeExceptionally(e.getCause());
        }
    }

    /** Returns the version with the old texts of scripts that have failed and worked before. */
    private Version repaired(
            Version version,
            Version old,
            Worker worker,
            Map<Integer, String> failures,
            Set<String> works)
            throws InterruptedException, ExecutionException {
        var endpoints = new ArrayList<>(version.endpoints);
        Set<Integer> replaced = new HashSet<>();
        for (int id : failures.keySet()) {
            Version.Endpoint endpoint = endpoints.get(id);
            Version.Endpoint before = old == null ? null : old.endpoint(endpoint.key());
            if (before != null && good.contains(endpoint.key())) {
                endpoints.set(id, endpoint.of(before.version()));
                replaced.add(id);
                works.add(endpoint.key());
            }
        }
        if (replaced.isEmpty()) {
            return version;
        }
        Version repaired = version.with(endpoints, old);
        worker.reload(repaired, replaced).get();
        return repaired;
    }

    private void publish(Version version, Worker worker) {
        known = version;
        pool.publish(version, worker);
    }
}
