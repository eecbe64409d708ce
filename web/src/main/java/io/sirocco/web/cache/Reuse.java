// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

/** How a stored response may be used for a request (RFC 9111 4). Any thread. */
enum Reuse {
    /** Serve it. */
    FRESH,
    /** Serve it: the client accepts that it is stale ({@code max-stale}). */
    STALE_ALLOWED,
    /** Serve it and revalidate it in the background (RFC 5861 3). */
    STALE_WHILE_REVALIDATE,
    /** Revalidate it first: it is stale. */
    VALIDATE_STALE,
    /** Revalidate it first: the client asks for it. */
    VALIDATE_REQUESTED;

    /**
     * Returns how the response may be used. It has been selected for the request by its variant.
     */
    static Reuse of(CacheRequest request, ResponseFacts facts, long now) {
        if (facts.noCache()) {
            return VALIDATE_STALE;
        }
        CacheControl client = request.directives;
        if (client.has("no-cache")) {
            return VALIDATE_REQUESTED;
        }
        long age = facts.age(now);
        long left = facts.lifetime() - age;
        boolean immutable = facts.directives().has("immutable") && left > 0; // RFC 8246 2.1
        long maxStale = maxStale(client);
        long maxAge = client.seconds("max-age");
        if (maxAge >= 0 && !immutable) { // RFC 9111 5.2.1.1; max-age=0 asks for a validation
            long over = age - maxAge * 1000;
            if ((over > 0 || maxAge == 0) && over > maxStale) {
                return VALIDATE_REQUESTED;
            }
        }
        long minFresh = client.seconds("min-fresh");
        if (minFresh >= 0 && left < minFresh * 1000) {
            return VALIDATE_REQUESTED;
        }
        if (left > 0) {
            return FRESH;
        }
        if (!facts.mustRevalidate()) {
            if (-left <= maxStale && !facts.directives().has("s-maxage")) { // RFC 9111 5.2.2.10
                return STALE_ALLOWED;
            }
            if (-left < facts.staleWhileRevalidate()) {
                return STALE_WHILE_REVALIDATE;
            }
        }
        return VALIDATE_STALE;
    }

    /** In milliseconds; -1 if the client accepts no stale response. */
    private static long maxStale(CacheControl client) {
        if (!client.has("max-stale")) {
            return -1;
        }
        long seconds = client.seconds("max-stale");
        return seconds < 0 ? Long.MAX_VALUE : seconds * 1000; // without a value: any (5.2.1.2)
    }

    /** Returns whether the response may be served because the origin fails (RFC 5861 4). */
    static boolean onError(CacheRequest request, ResponseFacts facts, long now) {
        if (facts.mustRevalidate()) {
            return false;
        }
        long stale = facts.age(now) - facts.lifetime();
        long client = request.directives.seconds("stale-if-error") * 1000;
        return stale <= 0 || stale < Math.max(client, facts.staleIfError());
    }

    /**
     * Returns whether a response that has just arrived for one request serves another one that
     * waits for it. It is not older than the wait, but must not need a validation for each use.
     */
    static boolean shared(CacheRequest request, ResponseFacts facts) {
        return !facts.noCache()
                && facts.lifetime() > facts.initialAge()
                && !request.noStore
                && allowsAuthorization(request, facts);
    }

    /** Credentials select a response only if it says so (RFC 9111 3.5, and the other way round). */
    static boolean allowsAuthorization(CacheRequest request, ResponseFacts facts) {
        return facts.sharedWithAuthorization() || !request.has("Authorization");
    }
}
