// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.client;

import io.sirocco.http.client.HttpClientException.Reason;
import io.sirocco.net.Loop;
import io.sirocco.net.TlsClient;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The connections of one client on one loop. Loop-confined; its counters are also read by others,
 * which may see them a little late.
 */
final class LoopPool {
    final Loop loop;
    final HttpClientSettings.Frozen settings;
    final Set<ClientConnection> connections = new LinkedHashSet<>();
    private final HttpClient client;
    private final Map<HttpOrigin, OriginPool> origins = new LinkedHashMap<>();
    private final Map<HttpOrigin, OriginPool> shown = new ConcurrentHashMap<>(); // for statistics
    private final Set<OriginPool> starving = new LinkedHashSet<>(); // the loop's limit stops them
    private CompletableFuture<Void> empty; // null unless somebody waits for the last exchange
    boolean closed;
    int open;
    int idle;
    int settling; // idle in a turn
    int waiting;
    long opened;
    long requests;
    long responses;
    long failures;
    long reused;
    long retries;

    LoopPool(HttpClient client, Loop loop) {
        this.client = client;
        this.loop = loop;
        this.settings = client.settings;
    }

    void begin(ClientExchange exchange) {
        requests++;
        if (closed) {
            exchange.failed(Reason.CLIENT_CLOSED, "the client is closed", null);
            return;
        }
        origins.computeIfAbsent(exchange.request.origin, this::created).begin(exchange);
    }

    private OriginPool created(HttpOrigin origin) {
        var created = new OriginPool(this, origin);
        shown.put(origin, created);
        return created;
    }

    TlsClient tls() {
        return client.tls();
    }

    /**
     * Returns whether one more connection may be opened; an idle one to another origin makes room.
     */
    boolean hasRoom() {
        if (open < settings.perLoop()) {
            return true;
        }
        if (idle > 0) {
            for (OriginPool each : List.copyOf(origins.values())) {
                if (each.closeOne()) {
                    return open < settings.perLoop();
                }
            }
        }
        return false;
    }

    void starves(OriginPool origin) {
        starving.add(origin);
    }

    /**
     * Returns whether requests to some origin wait for room; an origin may have got a connection
     * since.
     */
    boolean isStarving() {
        starving.removeIf(OriginPool::isOpeningForAll);
        return !starving.isEmpty();
    }

    /**
     * Called when a connection is gone: opens those that wait for room, one origin after the other.
     */
    void roomMade() {
        while (isStarving() && open < settings.perLoop()) {
            OriginPool first = starving.iterator().next();
            starving.remove(first);
            int before = open;
            first.openMore();
            if (open == before && starving.contains(first)) {
                break;
            }
        }
        completeIfEmpty();
    }

    void keep(OriginPool origin) {
        if (origins.putIfAbsent(origin.origin, origin) == null) {
            shown.put(origin.origin, origin);
        }
    }

    void drop(OriginPool origin) {
        starving.remove(origin);
        if (origins.remove(origin.origin, origin)) {
            shown.remove(origin.origin);
        }
        completeIfEmpty();
    }

    // ---- the end

    /** Accepts no more requests; completes {@code then} when none is in progress any more. */
    void close(CompletableFuture<Void> then) {
        closed = true;
        empty = then;
        for (OriginPool each : List.copyOf(origins.values())) {
            while (each.closeOne()) {
                // all of them
            }
            each.refuseAll(Reason.CLIENT_CLOSED, "the client was closed");
        }
        completeIfEmpty();
    }

    /** Called when the loop stops or has ended: fails all requests that wait for a connection. */
    void stopped() {
        closed = true;
        for (OriginPool each : List.copyOf(origins.values())) {
            each.refuseAll(Reason.CLIENT_CLOSED, "the loop of the client has stopped");
        }
    }

    /** Fails the requests in progress. */
    void abort() {
        for (ClientConnection each : new ArrayList<>(connections)) {
            each.failed(Reason.CLIENT_CLOSED, "the client was closed", null);
        }
    }

    private void completeIfEmpty() {
        if (empty != null && connections.isEmpty()) {
            empty.complete(null);
        }
    }

    /** Returns the connections to one origin. Any thread. */
    OriginStats stats(HttpOrigin origin) {
        OriginPool known = shown.get(origin);
        return known == null ? new OriginStats(0, 0) : known.stats();
    }

    HttpClientStats stats() {
        return new HttpClientStats(
                open,
                idle + settling,
                waiting,
                opened,
                requests,
                responses,
                failures,
                reused,
                retries);
    }
}
