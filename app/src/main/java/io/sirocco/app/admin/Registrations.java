// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import io.sirocco.net.log.LazyLogger;
import io.sirocco.web.access.Networks;
import io.sirocco.web.proxy.Upstream;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.LongSupplier;

/**
 * The servers that have joined upstreams. Each is kept by heartbeats, and removed from its upstream
 * when the last one is older than its time to live. A reload keeps them. Any thread.
 */
public final class Registrations implements AutoCloseable {
    /** The longest time to live, and the default. */
    static final Duration LONGEST_TTL = Duration.ofMillis(4500);

    private static final LazyLogger LOG = LazyLogger.of(Registrations.class);

    /**
     * An upstream that servers may join.
     *
     * @param networks of addresses that a server may register besides its own
     * @param most servers at a time
     */
    public record Target(Upstream upstream, Networks networks, int most) {}

    /** The result of a registration. */
    enum Result {
        JOINED,
        KEPT,
        /** The URL is that of a server in the configuration. */
        FIXED,
        /** The upstream has as many servers as may join. */
        FULL,
        /** The upstream is unknown, or takes no registrations. */
        UNKNOWN
    }

    /** A server that has joined. */
    private record Member(int weight, long due, long ttl) {}

    private final LongSupplier nanos;
    private final Map<String, Target> targets = new LinkedHashMap<>(); // with the lock held
    private final Map<String, Map<String, Member>> members = new LinkedHashMap<>(); // as the next
    private final Set<Upstream> pending = // filled for a reload that may yet fail
            Collections.newSetFromMap(new WeakHashMap<>());
    private Thread watch; // null before the first registration
    private boolean closed;

    /** Creates one without servers. */
    public Registrations() {
        this(System::nanoTime);
    }

    Registrations(LongSupplier nanos) {
        this.nanos = nanos;
    }

    // ---- upstreams

    /** Adds the servers that have joined an upstream of this name to a new one, before its use. */
    public synchronized void fill(Upstream upstream) {
        pending.add(upstream);
        members.getOrDefault(upstream.name(), Map.of())
                .forEach((url, member) -> upstream.add(url, member.weight));
    }

    /** Replaces the upstreams after a reload. Those of another upstream of the same name move. */
    public synchronized void use(List<Target> next) {
        targets.clear();
        next.forEach(target -> targets.put(target.upstream().name(), target));
        members.keySet().retainAll(targets.keySet());
        next.forEach(target -> fill(target.upstream()));
        pending.clear();
    }

    private void drop(String name, String url) {
        targets.get(name).upstream().remove(url);
        pending.stream()
                .filter(upstream -> upstream.name().equals(name))
                .forEach(upstream -> upstream.remove(url));
    }

    synchronized Optional<Target> target(String name) {
        return Optional.ofNullable(targets.get(name));
    }

    // ---- servers

    /** Registers a server, or continues its registration. */
    synchronized Result put(String name, String url, int weight, Duration ttl) {
        Target target = targets.get(name);
        if (target == null || closed) {
            return Result.UNKNOWN;
        }
        Map<String, Member> all = members.computeIfAbsent(name, _ -> new LinkedHashMap<>());
        boolean known = all.containsKey(url);
        if (!known && all.size() >= target.most()) {
            return Result.FULL;
        }
        if (!target.upstream().add(url, weight) && !known) {
            return Result.FIXED;
        }
        all.put(url, new Member(weight, nanos.getAsLong() + ttl.toNanos(), ttl.toNanos()));
        if (known) {
            return Result.KEPT;
        }
        log(Level.INFO, name, url, "has joined");
        watch();
        return Result.JOINED;
    }

    /** Ends the registration of a server; returns whether there was one. */
    synchronized boolean remove(String name, String url) {
        Map<String, Member> all = members.get(name);
        if (all == null || all.remove(url) == null) {
            return false;
        }
        drop(name, url);
        log(Level.INFO, name, url, "has left");
        return true;
    }

    private static void log(Level level, String name, String url, String what) {
        LOG.get().log(level, "upstream {0}: {1} {2}", name, url, what);
    }

    // ---- heartbeats

    /** Removes servers without a heartbeat; returns the nanoseconds until the next is due. */
    synchronized long expire() {
        long now = nanos.getAsLong();
        long next = LONGEST_TTL.toNanos();
        for (var upstream : members.entrySet()) {
            for (var each : new ArrayList<>(upstream.getValue().entrySet())) {
                Member member = each.getValue();
                if (member.due - now <= 0) {
                    upstream.getValue().remove(each.getKey());
                    drop(upstream.getKey(), each.getKey());
                    log(
                            Level.WARNING,
                            upstream.getKey(),
                            each.getKey(),
                            "is gone: no heartbeat for " + member.ttl / 1_000_000 + " ms");
                } else {
                    next = Math.min(next, member.due - now);
                }
            }
        }
        return next;
    }

    private void watch() {
        if (watch == null) {
            watch = Thread.ofPlatform().daemon().name("sirocco-registrations").start(this::run);
        }
        notifyAll(); // the new one may be due before all others
    }

    private synchronized void run() {
        try {
            while (!closed) {
                wait(expire() / 1_000_000 + 1);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // nobody does that
        }
    }

    /** Ends the watch for heartbeats. The servers stay in their upstreams. */
    @Override
    public synchronized void close() {
        closed = true;
        notifyAll();
    }
}
