// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

/** How an {@link Upstream} chooses a server among those that are available. Immutable. */
public enum Balance {
    /** One after the other, by weight, spread evenly. The default. */
    ROUND_ROBIN,
    /** The server with the fewest requests in progress for its weight. */
    LEAST_REQUESTS,
    /**
     * The better of two servers drawn at random: nearly as good as {@link #LEAST_REQUESTS}, and
     * several proxies do not all choose the same server at the same time.
     */
    RANDOM,
    /**
     * The server that a value of the request belongs to ({@link UpstreamSettings#hashBy}). If a
     * server leaves, only its own values move (rendezvous hashing).
     */
    HASH
}
