// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import io.sirocco.http.Headers;
import io.sirocco.net.Clock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * Options of a {@link ResponseCache}, set by the lambda of {@link ResponseCache#create} and frozen
 * when it returns. Sizes are in bytes. Used by one thread.
 *
 * <pre>{@code
 * ResponseCache cache = ResponseCache.create(options -> options
 *     .memory(256 << 20)
 *     .disk(Path.of("/var/cache/sirocco"), 20L << 30)
 *     .ignoreQuery("utm_*", "fbclid"));
 * }</pre>
 */
public final class CacheOptions {
    private long memory = Math.min(64L << 20, Runtime.getRuntime().maxMemory() / 8);
    private Path folder;
    private long disk;
    private int memoryBody = 256 << 10;
    private long maxEntry = 64L << 20;
    private int maxVariants = 64;
    private int maxTags = 64;
    private int maxHeaderBytes = 32 << 10;
    private final Map<Integer, Long> defaultTtl = new HashMap<>();
    private Duration maxHeuristic = Duration.ofDays(1);
    private Duration staleIfError = Duration.ZERO;
    private Duration staleWhileRevalidate = Duration.ZERO;
    private final List<Pattern> ignoredQuery = new ArrayList<>();
    private final List<String> keyHeaders = new ArrayList<>();
    private final List<String> keyCookies = new ArrayList<>();
    private final List<String> bypassHeaders = new ArrayList<>();
    private boolean clientDirectives = true;
    private boolean storeSetCookie;
    private Duration collapseTimeout = Duration.ofSeconds(10);
    private String cacheStatus = "sirocco";
    private Clock clock = Clock.system();

    CacheOptions() {}

    /**
     * Sets the memory for URLs, headers, and bodies that are not on the disk. Three quarters hold
     * complete entries, a quarter those that are being received. Default: 64 MiB, or an eighth of
     * the heap if that is less.
     */
    public CacheOptions memory(long bytes) {
        this.memory = atLeast(1 << 16, bytes, "memory");
        return this;
    }

    /**
     * Keeps large bodies in files below {@code folder}, which belongs to this cache alone and is
     * created if necessary. Entries there survive a restart. By default there is no disk cache.
     *
     * @param bytes the limit of all files together; three quarters hold complete entries, a quarter
     *     those that are being received
     */
    public CacheOptions disk(Path folder, long bytes) {
        this.folder = Objects.requireNonNull(folder, "folder");
        this.disk = atLeast(1 << 20, bytes, "disk");
        return this;
    }

    /**
     * Sets the body size above which a body goes to the disk, if there is one. Default: 256 KiB.
     */
    public CacheOptions memoryBody(long bytes) {
        this.memoryBody = (int) Math.min(atLeast(0, bytes, "memoryBody"), 1 << 30);
        return this;
    }

    /**
     * Sets the largest body that is stored. A longer one is only forwarded. Default: 64 MiB. A
     * quarter of the disk, or of the memory without one, is a limit, too.
     */
    public CacheOptions maxEntryBytes(long bytes) {
        this.maxEntry = atLeast(0, bytes, "maxEntryBytes");
        return this;
    }

    /**
     * Sets the number of variants (RFC 9111 4.1) of one URL that are stored. One more evicts the
     * oldest. Default: 64.
     */
    public CacheOptions maxVariants(int count) {
        this.maxVariants = (int) atLeast(1, count, "maxVariants");
        return this;
    }

    /** Sets the number of tags of a response. One with more is not stored. Default: 64. */
    public CacheOptions maxTags(int count) {
        this.maxTags = (int) atLeast(0, count, "maxTags");
        return this;
    }

    /**
     * Sets the size of URL, response headers and selecting request headers of an entry. A response
     * with more is not stored. Default: 32 KiB.
     */
    public CacheOptions maxHeaderBytes(int bytes) {
        this.maxHeaderBytes = (int) atLeast(1, bytes, "maxHeaderBytes");
        return this;
    }

    /**
     * Stores responses of a status for {@code ttl} if they do not say how long they are fresh. By
     * default, heuristic freshness applies (RFC 9111 4.2.2).
     */
    public CacheOptions defaultTtl(int status, Duration ttl) {
        if (status < 200 || status > 599) {
            throw new IllegalArgumentException(
                    "defaultTtl needs a status between 200 and 599, not " + status + ".");
        }
        defaultTtl.put(status, notNegative(ttl, "defaultTtl").toMillis());
        return this;
    }

    /**
     * Limits heuristic freshness, a tenth of the time since {@code Last-Modified} (RFC 9111 4.2.2).
     * {@link Duration#ZERO} turns it off. Default: a day.
     */
    public CacheOptions maxHeuristic(Duration most) {
        this.maxHeuristic = notNegative(most, "maxHeuristic");
        return this;
    }

    /**
     * Serves a response up to {@code time} after it has become stale if the origin fails, and the
     * response has no {@code stale-if-error} (RFC 5861 4). Off by default.
     */
    public CacheOptions staleIfError(Duration time) {
        this.staleIfError = notNegative(time, "staleIfError");
        return this;
    }

    /**
     * Serves a response up to {@code time} after it has become stale while it is revalidated, if it
     * has no {@code stale-while-revalidate} (RFC 5861 3). Off by default.
     */
    public CacheOptions staleWhileRevalidate(Duration time) {
        this.staleWhileRevalidate = notNegative(time, "staleWhileRevalidate");
        return this;
    }

    /**
     * Removes query parameters from the cache key. The origin still receives them.
     *
     * @param names names in which {@code *} stands for any characters: {@code utm_*}
     */
    public CacheOptions ignoreQuery(String... names) {
        for (String name : names) {
            ignoredQuery.add(
                    Pattern.compile("\\Q" + name.replace("*", "\\E.*\\Q") + "\\E", Pattern.DOTALL));
        }
        return this;
    }

    /** Adds request headers to the cache key, as if each response named them in {@code Vary}. */
    public CacheOptions keyHeaders(String... names) {
        addNames(names, keyHeaders);
        return this;
    }

    /** Adds cookies to the cache key. */
    public CacheOptions keyCookies(String... names) {
        for (String name : names) {
            Headers.of(name, "");
            keyCookies.add(name);
        }
        return this;
    }

    /** Forwards requests that have one of these headers, and does not store their responses. */
    public CacheOptions bypassHeaders(String... names) {
        addNames(names, bypassHeaders);
        return this;
    }

    /**
     * Ignores {@code Cache-Control} of requests, which is advisory (RFC 9111 5.2.1): clients then
     * cannot make the cache revalidate. Only {@code no-store} and {@code only-if-cached} still
     * apply.
     */
    public CacheOptions ignoreClientDirectives() {
        this.clientDirectives = false;
        return this;
    }

    /**
     * Stores responses that have {@code Set-Cookie}, with their cookies. By default they are not
     * stored, since their cookies would go to other clients (RFC 9111 7.3).
     */
    public CacheOptions storeSetCookie() {
        this.storeSetCookie = true;
        return this;
    }

    /**
     * Sets how long a request waits for the response to another one for the same URL. Then it is
     * forwarded by itself. Default: 10 seconds.
     */
    public CacheOptions collapseTimeout(Duration time) {
        this.collapseTimeout = notNegative(time, "collapseTimeout");
        return this;
    }

    /**
     * Sets the name of this cache in {@code Cache-Status} (RFC 9211). An empty name omits the
     * header. Default: {@code sirocco}.
     */
    public CacheOptions cacheStatus(String name) {
        if (!name.isEmpty()) {
            Headers.of(name, "");
        }
        this.cacheStatus = name;
        return this;
    }

    /** Sets the clock. Default: that of the machine. */
    public CacheOptions clock(Clock clock) {
        this.clock = Objects.requireNonNull(clock, "clock");
        return this;
    }

    CacheSettings freeze() {
        return new CacheSettings(
                memory,
                folder,
                disk,
                memoryBody,
                maxEntry,
                maxVariants,
                maxTags,
                maxHeaderBytes,
                Map.copyOf(defaultTtl),
                maxHeuristic.toMillis(),
                staleIfError.toMillis(),
                staleWhileRevalidate.toMillis(),
                List.copyOf(ignoredQuery),
                List.copyOf(keyHeaders),
                List.copyOf(keyCookies),
                List.copyOf(bypassHeaders),
                clientDirectives,
                storeSetCookie,
                collapseTimeout.toMillis(),
                cacheStatus,
                clock);
    }

    private static void addNames(String[] names, List<String> to) {
        for (String name : names) {
            Headers.of(name, "");
            to.add(name.toLowerCase(Locale.ROOT));
        }
    }

    private static long atLeast(long least, long value, String option) {
        if (value < least) {
            throw new IllegalArgumentException(
                    option + " must be " + least + " or more, not " + value + ".");
        }
        return value;
    }

    private static Duration notNegative(Duration time, String option) {
        if (time.isNegative()) {
            throw new IllegalArgumentException(option + " must be 0 or more, not " + time + ".");
        }
        return time;
    }
}
