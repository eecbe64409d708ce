// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import java.util.List;
import java.util.Map;

/**
 * The frozen {@link CacheRules}. Times are in milliseconds. Immutable.
 *
 * @param keys the rules that the meaning of a stored response depends on: it serves only requests
 *     with the same ones, so that a change of the configuration does not mix up variants
 */
record RuleSettings(
        Map<Integer, Long> defaultTtl,
        long maxHeuristic,
        long staleIfError,
        long staleWhileRevalidate,
        NamePatterns ignoredQuery,
        List<String> keyHeaders,
        List<String> keyCookies,
        List<String> bypassHeaders,
        NamePatterns bypassCookies,
        boolean clientDirectives,
        boolean storeSetCookie,
        String keys) {}
