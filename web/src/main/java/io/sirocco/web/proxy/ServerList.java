// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import io.sirocco.http.client.HttpOrigin;
import io.sirocco.net.Loop;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;

/**
 * The servers of an {@link Upstream}: one for each address of each host. Names are looked up again
 * and again on a virtual thread; the JVM keeps an answer for 30 s (the security property {@code
 * networkaddress.cache.ttl}). Before the first answer the host itself is the server; if a look-up
 * fails, the last addresses stay in use. A server whose address stays keeps its state.
 *
 * <p>Any thread.
 */
final class ServerList {
    private static final int MOST_ADDRESSES = 64;

    private final Upstream upstream;
    private volatile List<UpstreamServer> all;
    private final Map<UpstreamSettings.Server, List<InetAddress>> known = new HashMap<>();

    ServerList(Upstream upstream) {
        this.upstream = upstream;
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
        if (upstream.settings.servers.stream().anyMatch(ServerList::isNamed)) {
            Thread.ofVirtual().name("sirocco-upstream-names").start(() -> lookUp(loop));
        }
    }

    private void lookUp(Loop loop) {
        synchronized (known) {
            for (UpstreamSettings.Server each : upstream.settings.servers) {
                if (isNamed(each)) {
                    lookUp(each);
                }
            }
            rebuild(all);
        }
        try {
            loop.execute(
                    () ->
                            loop.schedule(
                                    upstream.settings.resolve.toMillis(),
                                    () -> {
                                        if (!upstream.isClosed()) {
                                            begin(loop);
                                        }
                                    }));
        } catch (RejectedExecutionException e) {
            // the server has stopped
        }
    }

    private void lookUp(UpstreamSettings.Server server) {
        try {
            InetAddress[] found = InetAddress.getAllByName(server.origin().host());
            Arrays.sort(found, Comparator.comparing(InetAddress::getHostAddress));
            known.put(
                    server,
                    List.copyOf(
                            Arrays.asList(found)
                                    .subList(0, Math.min(found.length, MOST_ADDRESSES))));
        } catch (UnknownHostException e) {
            Upstream.LOG
                    .get()
                    .log(
                            Level.WARNING,
                            "upstream {0}: no address is known for {1}",
                            upstream.name(),
                            server.origin().host());
        }
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
