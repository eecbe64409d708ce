// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

/**
 * Counters of a {@link ResponseCache} since its start, and its present size. Immutable.
 *
 * @param hits requests served from the cache without the origin, stale responses among them
 * @param misses requests that were forwarded since nothing suitable was stored
 * @param revalidated requests served after the origin confirmed the stored response (304)
 * @param stale requests served with a stale response
 * @param collapsed requests served by the response to another request that was in progress
 * @param bypassed requests that were forwarded without a lookup: unsafe methods, ranges that are
 *     not stored, and those that the options name
 * @param stored responses that were stored
 * @param evicted responses that were removed to make room
 * @param entries responses that are stored now
 * @param memoryBytes what they take in memory
 * @param diskBytes what they take on the disk
 * @param diskFailures bodies that were not stored since the disk failed or was full
 */
public record CacheStats(
        long hits,
        long misses,
        long revalidated,
        long stale,
        long collapsed,
        long bypassed,
        long stored,
        long evicted,
        long entries,
        long memoryBytes,
        long diskBytes,
        long diskFailures) {}
