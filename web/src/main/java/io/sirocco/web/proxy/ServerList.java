// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import io.sirocco.http.client.HttpOrigin;
import io.sirocco.net.Loop;
import io.sirocco.net.ScheduledTask;
import io.sirocco.net.limit.Ip;
import io.sirocco.net.log.LazyLogger;
import io.sirocco.net.log.RepeatedFailures;
import io.sirocco.web.dns.NameResolver;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

/**
 * The servers of an {@link Upstream}, those of its settings and those that were added: one for each
 * address of each host. Each name is looked up on a virtual thread, again and again: when the time
 * to live of its addresses has passed, within bounds. Before the first answer the host itself is
 * the server, which the system's resolver knows; with name servers of the settings it is none, and
 * requests wait for {@link #answer}. If a look-up fails, the last addresses stay in use. A server
 * whose address stays keeps its state.
 *
 * <p>Any thread.
 */
final class ServerList {
    private static final int MAX_ADDRESSES = 64;
    private static final Duration RETRY = Duration.ofSeconds(5); // after a failure
    private static final RepeatedFailures FAILURES =
            new RepeatedFailures(LazyLogger.of(Upstream.class), Level.WARNING);

    private final Upstream upstream;
    private final NameResolver resolver;
    private volatile List<UpstreamServer> all = List.of();
    private volatile Map<HttpOrigin, UpstreamSettings.Server> added = Map.of(); // in their order
    private final Map<HttpOrigin, List<InetAddress>> known = new HashMap<>(); // with the lock held
    private final Set<HttpOrigin> asked = new HashSet<>(); // and answered; with the lock held
    private final Map<HttpOrigin, LookUps> lookUps = new HashMap<>(); // with the lock held
    private CompletableFuture<Void> answer; // the next one, if requests may wait; lock held
    private Loop loop; // with the lock held; null until names are looked up

    ServerList(Upstream upstream) {
        this.upstream = upstream;
        this.resolver = NameResolver.of(upstream.settings.nameservers);
        upstream.settings.servers.forEach(this::knowLiteral);
        rebuild();
    }

    private void knowLiteral(UpstreamSettings.Server server) {
        if (server.origin().address().isEmpty()) {
            server.origin()
                    .literal()
                    .ifPresent(address -> known.put(server.origin(), List.of(address)));
        }
    }

    /**
     * Takes over the addresses of an upstream that this one replaces, which has the same name
     * servers: they are in use until the first answer.
     */
    void adopt(ServerList before) {
        Map<HttpOrigin, List<InetAddress>> addresses;
        synchronized (before) {
            addresses = Map.copyOf(before.known);
        }
        synchronized (this) {
            addresses.forEach(
                    (origin, at) -> {
                        if (isMember(origin)) {
                            known.putIfAbsent(origin, at);
                        }
                    });
            rebuild();
        }
    }

    /**
     * Returns what completes with the next answer of a name server, or its failure; null if no name
     * waits for its first one.
     */
    synchronized CompletableFuture<Void> answer() {
        if (named().stream().noneMatch(this::isAwaited)) {
            return null;
        }
        if (answer == null) {
            answer = new CompletableFuture<>();
        }
        return answer;
    }

    /**
     * Returns whether the server needs the first answer of a look-up: only the name servers of the
     * settings know it, or TLS has another name.
     */
    private boolean isAwaited(UpstreamSettings.Server server) {
        UpstreamSettings settings = upstream.settings;
        return !(settings.nameservers.isEmpty() && settings.serverName.isEmpty())
                && isNamed(server)
                && !known.containsKey(server.origin())
                && !asked.contains(server.origin());
    }

    List<UpstreamServer> all() {
        return all;
    }

    private static boolean isNamed(UpstreamSettings.Server server) {
        return server.origin().address().isEmpty() && server.origin().literal().isEmpty();
    }

    private boolean isFixed(HttpOrigin origin) {
        return upstream.settings.servers.stream().anyMatch(each -> each.origin().equals(origin));
    }

    private boolean isMember(HttpOrigin origin) {
        return isFixed(origin) || added.containsKey(origin);
    }

    /** Returns the servers as they were set or added, before names are resolved. */
    private List<UpstreamSettings.Server> named() {
        var named = new ArrayList<>(upstream.settings.servers);
        named.addAll(added.values());
        return named;
    }

    // ---- at run time

    /** Adds a server, or changes its weight; returns whether it is new. */
    synchronized boolean add(UpstreamSettings.Server server) {
        if (isFixed(server.origin())) {
            return false;
        }
        UpstreamSettings.Server before = added.get(server.origin());
        if (server.equals(before)) {
            return false;
        }
        var next = new LinkedHashMap<>(added);
        next.put(server.origin(), server);
        added = next;
        knowLiteral(server);
        rebuild();
        if (before == null && isNamed(server) && loop != null) {
            lookUpSoon(server.origin());
        }
        return before == null;
    }

    /** Removes a server that was added; returns whether there was one. */
    synchronized boolean remove(HttpOrigin origin) {
        if (!added.containsKey(origin)) {
            return false;
        }
        var next = new LinkedHashMap<>(added);
        next.remove(origin);
        added = next;
        known.remove(origin);
        asked.remove(origin);
        rebuild();
        return true;
    }

    // ---- names

    /** The look-ups of one origin, one after another: there is never a second chain of them. */
    private static final class LookUps {
        final HttpOrigin origin;
        final Loop loop;
        boolean running; // with the lock held
        ScheduledTask next; // loop-confined; null before the first has ended

        LookUps(HttpOrigin origin, Loop loop) {
            this.origin = origin;
            this.loop = loop;
        }
    }

    /** Begins to look names up. On {@code loop}. */
    synchronized void begin(Loop loop) {
        this.loop = loop;
        lookUps.clear(); // of a server that has stopped
        for (UpstreamSettings.Server each : named()) {
            if (isNamed(each)) {
                lookUpSoon(each.origin());
            }
        }
    }

    /** Looks a name up, and again when its addresses have expired. With the lock held. */
    private void lookUpSoon(HttpOrigin origin) {
        LookUps of = lookUps.computeIfAbsent(origin, each -> new LookUps(each, loop));
        if (!of.running) {
            of.running = true;
            Thread.ofVirtual().name("sirocco-upstream-names").start(() -> lookUp(of));
        }
    }

    private void lookUp(LookUps of) {
        Duration next = RETRY;
        List<InetAddress> addresses = null;
        try {
            NameResolver.Resolved found = resolver.resolve(of.origin.host());
            var sorted = new ArrayList<>(found.addresses());
            sorted.sort(Comparator.comparing(InetAddress::getHostAddress));
            addresses = List.copyOf(sorted.subList(0, Math.min(sorted.size(), MAX_ADDRESSES)));
            next = found.validity().orElse(upstream.settings.resolve);
        } catch (Throwable e) { // an error, too, or the name would never be looked up again
            String host = of.origin.host();
            FAILURES.logLine(
                    upstream.name() + host,
                    "upstream " + upstream.name() + ": no address is known for " + host + ": " + e,
                    e);
        }
        ended(of, addresses);
        long delay = bounded(next).toMillis();
        try {
            of.loop.execute(() -> schedule(of, delay));
        } catch (RejectedExecutionException e) {
            // the server has stopped
        }
    }

    /** Takes what a look-up has found; null if it has failed. */
    private void ended(LookUps of, List<InetAddress> addresses) {
        CompletableFuture<Void> waited;
        synchronized (this) {
            of.running = false;
            if (isMember(of.origin)) { // it may have been removed
                asked.add(of.origin);
                if (addresses != null) {
                    known.put(of.origin, addresses);
                }
                rebuild(); // where it failed for the first time, the host itself is the server
            }
            waited = answer;
            answer = null;
        }
        if (waited != null) {
            waited.complete(null);
        }
    }

    /** Schedules the next look-up in place of an earlier one. On the loop. */
    private void schedule(LookUps of, long delayMillis) {
        if (of.next != null) {
            of.next.cancel();
        }
        of.next = of.loop.schedule(delayMillis, () -> again(of));
    }

    private synchronized void again(LookUps of) {
        if (lookUps.get(of.origin) != of) {
            return; // the server has been started again, on another loop
        }
        if (!upstream.isClosed() && isMember(of.origin)) {
            lookUpSoon(of.origin);
        } else if (!of.running) {
            lookUps.remove(of.origin);
        }
    }

    private Duration bounded(Duration time) {
        Duration least = upstream.settings.resolveMin;
        Duration most = upstream.settings.resolve;
        Duration longer = time.compareTo(least) > 0 ? time : least;
        return longer.compareTo(most) < 0 ? longer : most;
    }

    private void rebuild() {
        List<UpstreamServer> before = all;
        var next = new ArrayList<UpstreamServer>();
        for (UpstreamSettings.Server each : named()) {
            List<InetAddress> addresses = known.get(each.origin());
            if (addresses != null) {
                for (InetAddress address : addresses) {
                    String name =
                            addresses.size() == 1
                                    ? each.name()
                                    : each.name() + " at " + Ip.text(address);
                    var at = new InetSocketAddress(address, each.origin().port());
                    next.add(server(each, name, named(each).at(at), before));
                }
            } else if (each.origin().address().isPresent()
                    || upstream.settings.serverName.isEmpty() && !isAwaited(each)) {
                next.add(server(each, each.name(), named(each), before));
            } // else TLS could not be told the name, which replaces that of the host
        }
        if (!next.equals(before)) {
            all = List.copyOf(next);
        }
    }

    /** The origin with the name that certificates are verified by. */
    private HttpOrigin named(UpstreamSettings.Server server) {
        HttpOrigin origin = server.origin();
        String name = upstream.settings.serverName;
        return name.isEmpty() || !origin.secure()
                ? origin
                : new HttpOrigin(true, name, origin.port(), Optional.empty());
    }

    private UpstreamServer server(
            UpstreamSettings.Server configured,
            String name,
            HttpOrigin origin,
            List<UpstreamServer> before) {
        for (UpstreamServer each : before) {
            if (each.name.equals(name) && each.origin.equals(origin)) {
                each.weight = configured.weight();
                return each;
            }
        }
        return new UpstreamServer(configured, name, origin, upstream.health());
    }
}
