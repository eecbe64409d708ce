// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import io.sirocco.http.Headers;
import io.sirocco.http.Response;

/**
 * A value of {@code Cache-Status} (RFC 9211): how the cache handled a request. Immutable.
 *
 * @param forward why the request was forwarded; null for a hit
 * @param status that of the origin's response; 0 without one
 * @param ttl the remaining freshness in seconds, negative for a stale response; {@link #NO_TTL}
 * @param detail more for people; null for none
 */
record CacheStatus(
        Forward forward, int status, boolean stored, boolean collapsed, long ttl, String detail) {
    static final long NO_TTL = Long.MIN_VALUE;

    static CacheStatus hit(String detail) {
        return new CacheStatus(null, 0, false, false, NO_TTL, detail);
    }

    static CacheStatus forwarded(Forward forward, int status, StoreRefusal refusal) {
        return new CacheStatus(
                forward, status, false, false, NO_TTL, refusal == null ? null : refusal.name());
    }

    CacheStatus withStored() {
        return new CacheStatus(forward, status, true, collapsed, ttl, detail);
    }

    CacheStatus withCollapsed(boolean collapsed) {
        return new CacheStatus(forward, status, stored, collapsed, ttl, detail);
    }

    CacheStatus withTtl(long seconds) {
        return new CacheStatus(forward, status, stored, collapsed, seconds, detail);
    }

    /** Appends this cache to those that the response has passed already; the client's is last. */
    Headers addTo(Headers headers, CacheSettings settings) {
        return settings.cacheStatus().isEmpty()
                ? headers
                : headers.with("Cache-Status", value(settings));
    }

    /** Adds it to a response that is not the origin's. */
    Response addTo(Response response, CacheSettings settings) {
        return settings.cacheStatus().isEmpty()
                ? response
                : response.header("Cache-Status", value(settings));
    }

    private String value(CacheSettings settings) {
        var text = new StringBuilder(64).append(settings.cacheStatus());
        if (forward == null) {
            text.append("; hit");
        } else {
            text.append("; fwd=").append(forward.token);
            if (status != 0) {
                text.append("; fwd-status=").append(status);
            }
        }
        if (ttl != NO_TTL) {
            text.append("; ttl=").append(ttl);
        }
        if (stored) {
            text.append("; stored");
        }
        if (collapsed) {
            text.append("; collapsed");
        }
        if (detail != null) {
            text.append("; detail=").append(detail);
        }
        return text.toString();
    }
}
