// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import java.util.List;
import java.util.Set;

/**
 * The servers that a {@link Balancer} may choose from, with their weights of this moment: their
 * places in the list of the upstream. Reused, so that a choice allocates nothing. Loop-confined.
 */
final class Candidates {
    UpstreamServer[] servers = new UpstreamServer[8];
    double[] weights = new double[8];
    int[] places = new int[8];
    int count;

    /**
     * Fills it: with the servers that are available; without one, with the backup servers; and
     * without one of these, with those that only requests speak against, since a guess is better
     * than an outage.
     */
    void fill(List<UpstreamServer> all, Set<UpstreamServer> tried, long now) {
        count = 0;
        for (int round = 0; round < 4 && count == 0; round++) {
            fill(all, tried, now, round % 2 == 1, round < 2);
        }
    }

    private void fill(
            List<UpstreamServer> all,
            Set<UpstreamServer> tried,
            long now,
            boolean backup,
            boolean available) {
        grow(all.size());
        for (int i = 0; i < all.size(); i++) {
            UpstreamServer server = all.get(i);
            ServerHealth health = server.health;
            if (server.backup == backup
                    && (available ? health.isAvailable(now) : health.isUsable())
                    && !tried.contains(server)) {
                servers[count] = server;
                weights[count] = server.weight * health.share(now);
                places[count] = i;
                count++;
            }
        }
    }

    private void grow(int size) {
        if (size > servers.length) {
            servers = new UpstreamServer[2 * size];
            weights = new double[2 * size];
            places = new int[2 * size];
        }
    }

    /** Requests in progress for the weight of a candidate, with one more. */
    double load(int i) {
        return (servers[i].inProgress.get() + 1) / weights[i];
    }
}
