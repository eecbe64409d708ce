// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import io.sirocco.http.Headers;
import io.sirocco.net.limit.Timeouts;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;

/**
 * Rules of a {@link ResponseCache} that may differ from route to route: the cache key, and what
 * applies where a response says nothing. Set by a lambda, and frozen when it returns. Used by one
 * thread.
 *
 * <pre>{@code
 * ResponseCache shop = cache.withRules(rules -> rules
 *     .keyCookies("currency")
 *     .staleIfError(Duration.ofHours(1)));
 * }</pre>
 */
public final class CacheRules {
    private final Map<Integer, Long> defaultTtl = new HashMap<>();
    private Duration maxHeuristic = Duration.ofDays(1);
    private Duration staleIfError = Duration.ZERO;
    private Duration staleWhileRevalidate = Duration.ZERO;
    private final TreeSet<String> ignoredQuery = new TreeSet<>();
    private final TreeSet<String> keyHeaders = new TreeSet<>();
    private final TreeSet<String> keyCookies = new TreeSet<>();
    private final TreeSet<String> bypassHeaders = new TreeSet<>();
    private final TreeSet<String> bypassCookies = new TreeSet<>();
    private boolean clientDirectives = true;
    private boolean storeSetCookie;

    CacheRules() {}

    /**
     * Stores responses of a status for {@code ttl} if they do not say how long they are fresh. By
     * default, heuristic freshness applies (RFC 9111 4.2.2).
     */
    public CacheRules defaultTtl(int status, Duration ttl) {
        if (status < 200 || status > 599) {
            throw new IllegalArgumentException(
                    "defaultTtl needs a status between 200 and 599, not " + status + ".");
        }
        defaultTtl.put(status, Timeouts.notNegative("defaultTtl", ttl).toMillis());
        return this;
    }

    /**
     * Limits heuristic freshness, a tenth of the time since {@code Last-Modified} (RFC 9111 4.2.2).
     * {@link Duration#ZERO} turns it off. Default: a day.
     */
    public CacheRules maxHeuristic(Duration most) {
        this.maxHeuristic = Timeouts.notNegative("maxHeuristic", most);
        return this;
    }

    /**
     * Serves a response up to {@code time} after it has become stale if the origin fails, and the
     * response has no {@code stale-if-error} (RFC 5861 4). Off by default.
     */
    public CacheRules staleIfError(Duration time) {
        this.staleIfError = Timeouts.notNegative("staleIfError", time);
        return this;
    }

    /**
     * Serves a response up to {@code time} after it has become stale while it is revalidated, if it
     * has no {@code stale-while-revalidate} (RFC 5861 3). Off by default.
     */
    public CacheRules staleWhileRevalidate(Duration time) {
        this.staleWhileRevalidate = Timeouts.notNegative("staleWhileRevalidate", time);
        return this;
    }

    /**
     * Removes query parameters from the cache key. The origin still receives them.
     *
     * @param names names in which {@code *} stands for any characters: {@code utm_*}
     */
    public CacheRules ignoreQuery(String... names) {
        ignoredQuery.addAll(List.of(names));
        return this;
    }

    /** Adds request headers to the cache key, as if each response named them in {@code Vary}. */
    public CacheRules keyHeaders(String... names) {
        addNames(names, keyHeaders);
        return this;
    }

    /** Adds cookies to the cache key. */
    public CacheRules keyCookies(String... names) {
        for (String name : names) {
            Headers.of(name, "");
            keyCookies.add(name);
        }
        return this;
    }

    /** Forwards requests that have one of these headers, and does not store their responses. */
    public CacheRules bypassHeaders(String... names) {
        addNames(names, bypassHeaders);
        return this;
    }

    /**
     * Forwards requests that have one of these cookies, and does not store their responses. The
     * value and the case of the name do not matter.
     *
     * @param names names in which {@code *} stands for any characters: {@code wordpress_*}
     */
    public CacheRules bypassCookies(String... names) {
        for (String name : names) {
            Headers.of(name, "");
            bypassCookies.add(name);
        }
        return this;
    }

    /**
     * Ignores {@code Cache-Control} of requests, which is advisory (RFC 9111 5.2.1): clients then
     * cannot make the cache revalidate. Only {@code no-store} and {@code only-if-cached} still
     * apply.
     */
    public CacheRules ignoreClientDirectives() {
        this.clientDirectives = false;
        return this;
    }

    /**
     * Stores responses that have {@code Set-Cookie}, with their cookies. By default they are not
     * stored, since their cookies would go to other clients (RFC 9111 7.3).
     */
    public CacheRules storeSetCookie() {
        this.storeSetCookie = true;
        return this;
    }

    RuleSettings freeze() {
        return new RuleSettings(
                Map.copyOf(defaultTtl),
                maxHeuristic.toMillis(),
                staleIfError.toMillis(),
                staleWhileRevalidate.toMillis(),
                new NamePatterns(List.copyOf(ignoredQuery)),
                List.copyOf(keyHeaders),
                List.copyOf(keyCookies),
                List.copyOf(bypassHeaders),
                NamePatterns.ignoringCase(List.copyOf(bypassCookies)),
                clientDirectives,
                storeSetCookie,
                ignoredQuery + " " + keyHeaders + " " + keyCookies + " " + storeSetCookie);
    }

    private static void addNames(String[] names, TreeSet<String> to) {
        for (String name : names) {
            Headers.of(name, "");
            to.add(name.toLowerCase(Locale.ROOT));
        }
    }
}
