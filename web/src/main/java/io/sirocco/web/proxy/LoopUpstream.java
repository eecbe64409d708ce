// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import io.sirocco.net.Loop;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/** What one loop needs to choose servers of an {@link Upstream}. Loop-confined. */
final class LoopUpstream {
    final Upstream upstream;
    final Loop loop;
    final RetryBudget budget;
    int awaiting; // requests that wait for the address of a server
    private final Candidates candidates = new Candidates();
    private List<UpstreamServer> servers = List.of();
    private Balancer balancer;

    LoopUpstream(Upstream upstream, Loop loop) {
        this.upstream = upstream;
        this.loop = loop;
        this.budget = new RetryBudget(upstream.settings.retryBudget);
    }

    /**
     * Returns the server for an attempt; null if none is available that was not tried.
     *
     * @param sticky the id of the server that the client is kept on; empty for none
     * @param key the hash of the request's value, for {@link Balance#HASH}
     */
    UpstreamServer choose(String sticky, long key, Set<UpstreamServer> tried) {
        List<UpstreamServer> now = upstream.servers();
        if (now != servers) {
            servers = now;
            balancer = Balancer.of(upstream.settings.balance, ThreadLocalRandom.current());
        }
        if (!sticky.isEmpty()) {
            for (UpstreamServer each : servers) {
                if (each.id.equals(sticky)
                        && !tried.contains(each)
                        && each.health.isAvailable(loop.now())) {
                    return each;
                }
            }
        }
        candidates.fill(servers, tried, loop.now());
        return candidates.count == 0 ? null : candidates.servers[balancer.choose(candidates, key)];
    }

    /** Returns the hash of the value that the settings name. */
    long key(InboundRequest request) {
        UpstreamSettings settings = upstream.settings;
        return settings.balance == Balance.HASH ? Balancer.hash(settings.hashBy.value(request)) : 0;
    }
}
