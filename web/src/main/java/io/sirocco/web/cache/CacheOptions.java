// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import io.sirocco.http.Headers;
import io.sirocco.net.Clock;
import io.sirocco.net.limit.Timeouts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Options of a {@link ResponseCache}, set by the lambda of {@link ResponseCache#create} and frozen
 * when it returns. Sizes are in bytes. Used by one thread.
 *
 * <pre>{@code
 * ResponseCache cache = ResponseCache.create(options -> options
 *     .memory(256 << 20)
 *     .disk(Path.of("/var/cache/sirocco"), 20L << 30)
 *     .rules(rules -> rules.ignoreQuery("utm_*", "fbclid")));
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
    private final CacheRules rules = new CacheRules();
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

    /** Sets the rules for requests to this cache; {@link ResponseCache#withRules} has others. */
    public CacheOptions rules(Consumer<CacheRules> rules) {
        rules.accept(this.rules);
        return this;
    }

    /**
     * Sets how long a request waits for the response to another one for the same URL. Then it is
     * forwarded by itself. Default: 10 seconds.
     */
    public CacheOptions collapseTimeout(Duration time) {
        this.collapseTimeout = Timeouts.notNegative("collapseTimeout", time);
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
                collapseTimeout.toMillis(),
                cacheStatus,
                clock,
                rules.freeze());
    }

    private static long atLeast(long least, long value, String option) {
        if (value < least) {
            throw new IllegalArgumentException(
                    option + " must be " + least + " or more, not " + value + ".");
        }
        return value;
    }
}
