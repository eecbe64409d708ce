// SPDX-License-Identifier: Apache-2.0

/**
 * A shared cache of responses (RFC 9111) before an origin. {@link
 * io.sirocco.web.cache.ResponseCache} is the way in.
 *
 * <pre>
 *   ResponseCache ─ CacheEngine ─┬─ CacheStore ── DiskStore ── DiskIndex
 *                                ├─ OriginFetch ── SharedBody ── DiskFile
 *                                └─ Reply
 *   rules, without state:  StoreRefusal  Reuse  ResponseFacts  VarySelector  CacheUrl
 * </pre>
 *
 * A fetch and its body belong to the loop of the request that began it; requests of other loops
 * hand their steps over to it. Stores and counters may be used by any thread, and no lock is held
 * while anything waits.
 */
package io.sirocco.web.cache;
