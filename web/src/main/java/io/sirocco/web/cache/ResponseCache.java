// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import io.sirocco.http.Request;
import io.sirocco.http.Response;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * A shared HTTP cache (RFC 9111) before an {@link Origin}. It serves stored responses while they
 * are fresh, revalidates them when they are stale, and sends one request to the origin for many
 * clients that ask for the same at once. Small bodies are in memory, large ones in files, both with
 * a bound in bytes.
 *
 * <pre>{@code
 * ResponseCache cache = ResponseCache.create(options -> options.memory(256 << 20));
 * routes.route("*", "/*", request -> cache.respond(request, origin))
 *         .executionMode(ExecutionMode.INLINE);
 * }</pre>
 *
 * <p>A response is stored only if its origin allows a shared cache to store it. Any thread.
 */
public final class ResponseCache implements AutoCloseable {
    private final CacheEngine engine;
    private final RuleSettings rules;

    private ResponseCache(CacheEngine engine, RuleSettings rules) {
        this.engine = engine;
        this.rules = engine.known(rules);
    }

    /** Creates a cache in memory with the default options. */
    public static ResponseCache create() {
        return create(options -> {});
    }

    /**
     * Creates a cache. With a {@linkplain CacheOptions#disk disk}, it reads the index of what an
     * earlier process has stored there.
     *
     * @throws IllegalArgumentException if an option is invalid, or the folder belongs to something
     *     else or is in use
     * @throws java.io.UncheckedIOException if the folder cannot be used
     */
    public static ResponseCache create(Consumer<CacheOptions> options) {
        var chosen = new CacheOptions();
        options.accept(chosen);
        CacheSettings settings = chosen.freeze();
        return new ResponseCache(new CacheEngine(settings), settings.rules());
    }

    /**
     * Returns this cache with other rules, for some routes: it has the same stores and counters,
     * and is closed with this one. Begins with the defaults, not with the rules of this cache.
     *
     * @throws IllegalArgumentException if a rule is invalid
     */
    public ResponseCache withRules(Consumer<CacheRules> rules) {
        var chosen = new CacheRules();
        rules.accept(chosen);
        return new ResponseCache(engine, chosen.freeze());
    }

    /**
     * Responds to a request, from the store or by the origin. Never blocks.
     *
     * <p>Methods other than GET and HEAD are forwarded; a successful unsafe one removes the stored
     * responses of its URL (RFC 9111 4.4). If the origin fails and no stale response may be served,
     * the response fails with the origin's exception.
     *
     * @param origin sends a request of this client. It may be used after the response, to
     *     revalidate in the background or for other clients
     */
    public Response respond(Request request, Origin origin) {
        return engine.respond(request, origin, rules);
    }

    /**
     * Removes all variants of a URL. Responses that arrive are served but not stored.
     *
     * @param url an absolute URL as clients request it: {@code https://example.org/a?b=c}
     * @return a stage of the number of responses removed, which completes when they are gone from
     *     the disk as well: from then on, a restart does not bring them back
     * @throws IllegalArgumentException if it is not an absolute URL
     */
    public CompletionStage<Integer> purge(String url) {
        return synced(engine.purgeUrl(url));
    }

    /**
     * Removes all responses with a tag, as {@code Cache-Tag} (a list separated by commas) or {@code
     * Surrogate-Key} (separated by spaces) names them. Responses that arrive are not stored.
     *
     * @return as {@link #purge}
     */
    public CompletionStage<Integer> purgeTag(String tag) {
        return synced(engine.purgeTag(tag));
    }

    /**
     * Removes everything. Responses that arrive are not stored.
     *
     * @return as {@link #purge}
     */
    public CompletionStage<Integer> purgeAll() {
        return synced(engine.purgeAll());
    }

    private CompletionStage<Integer> synced(int count) {
        return engine.disk == null
                ? CompletableFuture.completedFuture(count)
                : engine.disk.sync().thenApply(done -> count);
    }

    /** Returns its counters and its size. Looks at each stored URL. */
    public CacheStats stats() {
        CacheCounters counters = engine.counters;
        return new CacheStats(
                counters.hits.sum(),
                counters.misses.sum(),
                counters.revalidated.sum(),
                counters.stale.sum(),
                counters.collapsed.sum(),
                counters.bypassed.sum(),
                counters.stored.sum(),
                engine.store.evicted(),
                engine.store.count(),
                engine.store.memoryBytes() + engine.memoryInProgress.used(),
                engine.disk == null ? 0 : engine.disk.bytes(),
                engine.disk == null ? 0 : engine.disk.failures());
    }

    /** Returns the number of requests that wait for a fetch. For tests. */
    int waiting() {
        return engine.fetches.waiting();
    }

    /**
     * Frees the memory, and completes the index on the disk for the next start; waits for the disk
     * for up to some seconds. Requests are then forwarded, and nothing is stored.
     */
    @Override
    public void close() {
        engine.close();
    }
}
