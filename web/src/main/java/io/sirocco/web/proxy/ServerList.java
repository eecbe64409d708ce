// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import io.sirocco.http.client.HttpOrigin;
import io.sirocco.net.Loop;
import io.sirocco.net.log.LazyLogger;
import io.sirocco.net.log.RepeatedFailures;
import io.sirocco.web.dns.NameResolver;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;

/**
 * The servers of an {@link Upstream}: one for each address of each host. Each name is looked up on
 * a virtual thread, again and again: when the time to live of its addresses has passed, within
 * bounds. Before the first answer the host itself is the server; if a look-up fails, the last
 * addresses stay in use. A server whose address stays keeps its state.
 *
 * <p>Any thread.
 */
final class ServerList {
    private static final int MOST_ADDRESSES = 64;
    private static final Duration RETRY = Duration.ofSeconds(5); // after a failure
    private static final RepeatedFailures FAILURES =
            new RepeatedFailures(LazyLogger.of(Upstream.class), Level.WARNING);

    private final Upstream upstream;
    private final NameResolver resolver;
    private volatile List<UpstreamServer> all;
    private final Map<UpstreamSettings.Server, List<InetAddress>> known = new HashMap<>();

    ServerList(Upstream upstream) {
        this.upstream = upstream;
        this.resolver = NameResolver.of(upstream.settings.nameservers);
        for (UpstreamSettings.Server each : upstream.settings.servers) {
            if (isLiteral(each)) {
                String host = each.origin().host();
                String bare = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
                known.put(each, List.of(InetAddress.ofLiteral(bare)));
            }
        }
        rebuild(List.of());
    }

    List<UpstreamServer> all() {
        return all;
    }

    private static boolean isLiteral(UpstreamSettings.Server server) {
        String host = server.origin().host();
        return server.origin().address().isEmpty()
                && (host.startsWith("[") || host.matches("[0-9]{1,3}(\\.[0-9]{1,3}){3}"));
    }

    private static boolean isNamed(UpstreamSettings.Server server) {
        return server.origin().address().isEmpty() && !isLiteral(server);
    }

    /** Begins to look names up. On {@code loop}. */
    void begin(Loop loop) {
        for (UpstreamSettings.Server each : upstream.settings.servers) {
            if (isNamed(each)) {
                begin(loop, each);
            }
        }
    }

    private void begin(Loop loop, UpstreamSettings.Server server) {
        Thread.ofVirtual().name("sirocco-upstream-names").start(() -> lookUp(loop, server));
    }

    private void lookUp(Loop loop, UpstreamSettings.Server server) {
        Duration next = lookUp(server);
        try {
            loop.execute(() -> loop.schedule(next.toMillis(), () -> again(loop, server)));
        } catch (RejectedExecutionException e) {
            // the server has stopped
        }
    }

    private void again(Loop loop, UpstreamSettings.Server server) {
        if (!upstream.isClosed()) {
            begin(loop, server);
        }
    }

    /** Returns when to look again. */
    private Duration lookUp(UpstreamSettings.Server server) {
        String host = server.origin().host();
        try {
            NameResolver.Resolved resolved = resolver.resolve(host);
            var sorted = new ArrayList<>(resolved.addresses());
            sorted.sort(Comparator.comparing(InetAddress::getHostAddress));
            synchronized (known) {
                known.put(
                        server,
                        List.copyOf(sorted.subList(0, Math.min(sorted.size(), MOST_ADDRESSES))));
                rebuild(all);
            }
            return bounded(resolved.validity().orElse(upstream.settings.resolve));
        } catch (IOException | RuntimeException e) {
            FAILURES.logLine(
                    upstream.name() + host,
                    "upstream " + upstream.name() + ": no address is known for " + host + ": " + e,
                    e);
            return bounded(RETRY);
        }
    }

    private Duration bounded(Duration time) {
        Duration least = upstream.settings.resolveMin;
        Duration most = upstream.settings.resolve;
        Duration longer = time.compareTo(least) > 0 ? time : least;
        return longer.compareTo(most) < 0 ? longer : most;
    }

    private void rebuild(List<UpstreamServer> before) {
        var next = new ArrayList<UpstreamServer>();
        for (UpstreamSettings.Server each : upstream.settings.servers) {
            List<InetAddress> addresses = known.get(each);
            if (addresses != null) {
                for (InetAddress address : addresses) {
                    String name =
                            addresses.size() == 1
                                    ? each.name()
                                    : each.name() + " at " + address.getHostAddress();
                    var at = new InetSocketAddress(address, each.origin().port());
                    next.add(server(each, name, named(each).at(at), before));
                }
            } else if (each.origin().address().isPresent()
                    || upstream.settings.serverName.isEmpty()) {
                next.add(server(each, each.name(), named(each), before));
            } // else TLS could not be told the name, which replaces that of the host
        }
        if (!next.equals(before) || before.isEmpty()) {
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
                return each;
            }
        }
        return new UpstreamServer(configured, name, origin, upstream.health());
    }
}
