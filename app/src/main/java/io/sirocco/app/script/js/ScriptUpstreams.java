// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.script.js;

import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.http.client.HttpClient;
import io.sirocco.net.Loop;
import io.sirocco.script.Upstreams;
import io.sirocco.web.proxy.Proxy;
import io.sirocco.web.proxy.Upstream;
import io.sirocco.web.proxy.UpstreamRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What scripts can reach: the {@code [[upstream]]} tables of the configuration in effect, by the
 * proxy, and other origins by an HTTP client if the operator allows them. Any thread.
 */
final class ScriptUpstreams implements Upstreams, AutoCloseable {
    private record Named(Upstream upstream, Proxy proxy) {}

    private final boolean any;
    private final CompletableFuture<Server> started = new CompletableFuture<>();
    private final AtomicInteger turn = new AtomicInteger();
    private volatile Map<String, Named> names;
    private HttpClient client; // of other origins; null before the first
    private Upstreams others;

    ScriptUpstreams(boolean any, Map<String, Upstream> upstreams) {
        this.any = any;
        this.names = named(Map.of(), upstreams);
    }

    /** Has further requests go to these upstreams, on the loops of {@code server}. */
    void activate(Server server, Map<String, Upstream> upstreams) {
        names = named(names, upstreams);
        started.complete(server);
    }

    private static Map<String, Named> named(
            Map<String, Named> before, Map<String, Upstream> upstreams) {
        var all = new HashMap<String, Named>();
        upstreams.forEach(
                (name, upstream) -> {
                    Named old = before.get(name);
                    boolean same = old != null && old.upstream == upstream;
                    all.put(name, same ? old : new Named(upstream, Proxy.to(upstream)));
                });
        return Map.copyOf(all);
    }

    @Override
    public boolean has(String name) {
        return names.containsKey(name);
    }

    @Override
    public Response forward(Request request, Forward to) throws Exception {
        Named named = names.get(to.upstream());
        return named == null
                ? others(to.upstream(), started.join()).forward(request, to)
                : named.proxy.forward(request, to.target(), to.headers());
    }

    @Override
    public CompletionStage<Fetched> fetch(Fetch fetch) {
        Named named = names.get(fetch.upstream());
        if (named == null) {
            return started.thenCompose(server -> others(fetch.upstream(), server).fetch(fetch));
        }
        var request =
                new UpstreamRequest(
                        fetch.method(),
                        fetch.target(),
                        fetch.headers(),
                        fetch.body(),
                        fetch.timeout(),
                        fetch.maxBodyBytes());
        return started.thenCompose(server -> named.upstream.send(loop(server), request))
                .thenApply(it -> new Fetched(it.status(), it.headers(), it.body()));
    }

    private Loop loop(Server server) {
        List<Loop> loops = server.loops();
        return loops.get(Math.floorMod(turn.getAndIncrement(), loops.size()));
    }

    /** Returns the upstreams that are no table: a name that a reload has removed is none either. */
    private synchronized Upstreams others(String upstream, Server server) {
        if (!any || !upstream.contains("://")) return NONE;
        if (others == null) {
            client = HttpClient.on(server, settings -> {});
            others = Upstreams.of(client, Map.of());
        }
        return others;
    }

    @Override
    public synchronized void close() {
        if (client != null) client.close();
    }
}
