// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.time.Duration;

/**
 * {@code rate-limit}: the limit for requests of one address. Immutable.
 *
 * @param burst the maximum number at once
 * @param addresses the number of addresses that are tracked
 * @param position distinguishes equal limits: routes share the limit that they inherit
 */
public record RateLimit(int requests, Duration per, int burst, int addresses, String position) {
    private static final int MAX = 1_000_000_000;

    static RateLimit read(Table table) {
        int requests =
                table.needed("requests", Node.of(1), "requests = 20", Values.whole(1, MAX))
                        .intValue();
        return new RateLimit(
                requests,
                table.time("per", "1s", Duration.ofMillis(1)),
                table.whole("burst", (int) Math.min(MAX, 2L * requests), 1, MAX),
                table.whole("addresses", 65_536, 1, 1 << 24),
                table.position().toString());
    }

    /** Returns the same limit at another position. */
    public RateLimit at(String other) {
        return new RateLimit(requests, per, burst, addresses, other);
    }
}
