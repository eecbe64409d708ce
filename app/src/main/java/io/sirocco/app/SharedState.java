// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.app.admin.Registrations;
import io.sirocco.net.RateLimiter;
import io.sirocco.web.access.Rejections;
import io.sirocco.web.metrics.Metrics;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * State that is kept across reloads: counters, the bandwidths of routes, which downloads in
 * progress continue to use, and servers that have joined upstreams. Any thread.
 */
record SharedState(
        Rejections rejections,
        Metrics metrics,
        Map<String, RateLimiter> bandwidths,
        Registrations registrations) {
    static SharedState create() {
        return new SharedState(
                new Rejections(), new Metrics(), new ConcurrentHashMap<>(), new Registrations());
    }
}
