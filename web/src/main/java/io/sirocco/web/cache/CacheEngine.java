// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import io.sirocco.http.Headers;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.net.Loop;
import io.sirocco.net.OpenFile;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Decides how a request is served: from the store, by a fetch that is in progress, by one of its
 * own that may be stored, or by the origin alone. Any thread.
 */
final class CacheEngine {
    /** More background revalidations than this are left to later requests. */
    private static final int BACKGROUND = 256;

    /** A request that has found no fetch to share so often is forwarded by itself. */
    private static final int ROUNDS = 3;

    /** No response differs by these. */
    private static final Set<String> OF_THE_CONNECTION =
            Set.of("close", "keep-alive", "te", "upgrade", "http2-settings");

    private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS", "TRACE");
    private static final CacheStatus HIT = CacheStatus.hit(null);
    private static final CacheStatus MAX_STALE = CacheStatus.hit("max-stale");
    private static final CacheStatus REVALIDATING = CacheStatus.hit("stale-while-revalidate");

    final CacheSettings settings;
    final DiskStore disk; // null without a disk
    final CacheStore store;
    final ByteBudget memoryInProgress;
    final CacheCounters counters = new CacheCounters();
    final FetchRegistry fetches = new FetchRegistry();
    final UncollapsedUrls uncollapsed;
    private final ThreadPoolExecutor upkeep;
    private final Set<NamePatterns> ignoredQueries = ConcurrentHashMap.newKeySet();
    private final AtomicInteger background = new AtomicInteger();
    private final Response notCached; // RFC 9111 5.2.1.7
    private volatile boolean closed;

    CacheEngine(CacheSettings settings) {
        this.settings = settings;
        this.upkeep = DiskStore.threads("sirocco-cache-upkeep-", 1);
        this.disk = settings.folder() == null ? null : DiskStore.open(settings, upkeep);
        this.store = new CacheStore(settings, disk, upkeep);
        this.memoryInProgress = new ByteBudget(CacheSettings.inProgress(settings.memoryBytes()));
        this.uncollapsed = new UncollapsedUrls(settings.clock());
        Response timeout = Response.text("Gateway Timeout").status(504);
        this.notCached =
                settings.cacheStatus().isEmpty()
                        ? timeout
                        : timeout.header(
                                "Cache-Status", settings.cacheStatus() + "; detail=only-if-cached");
        if (disk != null) {
            disk.restored().forEach(store::restore);
        }
    }

    long now() {
        return settings.clock().wallMillis();
    }

    // ---- requests

    Response respond(Request live, Origin origin, RuleSettings rules) {
        var request = CacheRequest.of(live, rules);
        if (!request.method.equals("GET") && !request.head) {
            return forward(live, request, origin, Forward.METHOD, null, null);
        }
        if (request.hasBody() || request.hasOriginConditions() || bypasses(request)) {
            return forward(live, request, origin, Forward.BYPASS, null, null);
        }
        Variants variants = store.get(request.url);
        StoredResponse stored = variants == null ? null : variants.select(request);
        Reuse reuse = stored == null ? null : Reuse.of(request, stored.facts, now());
        Forward why = why(variants, reuse);
        if (why == null) {
            return hit(live, request, origin, stored, reuse);
        }
        if (request.onlyIfCached) {
            return notCached;
        }
        return missed(live, request, origin, stored, why);
    }

    private boolean bypasses(CacheRequest request) {
        if (namesHeaders(request)) {
            return true;
        }
        for (String name : request.rules.bypassHeaders()) {
            if (request.has(name)) {
                return true;
            }
        }
        return request.hasCookie(request.rules.bypassCookies());
    }

    /**
     * Returns whether {@code Connection} names a header of the request, which the origin then does
     * not receive (RFC 9110 7.6.1): its response would be stored for a value that it has not seen.
     */
    private static boolean namesHeaders(CacheRequest request) {
        String connection = request.list("Connection");
        if (connection == null
                || connection.equalsIgnoreCase("keep-alive")
                || connection.equalsIgnoreCase("close")) {
            return false;
        }
        for (String option : connection.split(",")) {
            String name = option.strip();
            if (!name.isEmpty()
                    && !OF_THE_CONNECTION.contains(name.toLowerCase(Locale.ROOT))
                    && request.has(name)) {
                return true;
            }
        }
        return false;
    }

    /** Returns why a request cannot be served from the store; null if it can. */
    private static Forward why(Variants variants, Reuse reuse) {
        return switch (reuse) {
            case null -> variants == null ? Forward.URI_MISS : Forward.VARY_MISS;
            case FRESH, STALE_ALLOWED, STALE_WHILE_REVALIDATE -> null;
            case VALIDATE_STALE -> Forward.STALE;
            case VALIDATE_REQUESTED -> Forward.REQUEST;
        };
    }

    private Response hit(
            Request live, CacheRequest request, Origin origin, StoredResponse stored, Reuse reuse) {
        CacheStatus how =
                switch (reuse) {
                    case STALE_ALLOWED -> MAX_STALE;
                    case STALE_WHILE_REVALIDATE -> REVALIDATING;
                    default -> HIT;
                };
        if (reuse == Reuse.STALE_WHILE_REVALIDATE && !request.noStore) {
            request.detach();
            revalidate(request, origin, stored);
        }
        counters.hits.increment();
        if (reuse != Reuse.FRESH) {
            counters.stale.increment();
        }
        CompletableFuture<Response> served = serve(stored, request, how, true);
        if (served.isDone() && !served.isCompletedExceptionally()) {
            return served.join();
        }
        request.detach();
        Waiter waiter = waiter(live, request, origin, Forward.URI_MISS);
        deliver(waiter, stored, served);
        return Response.async(waiter.reply);
    }

    private Response missed(
            Request live, CacheRequest request, Origin origin, StoredResponse stored, Forward why) {
        String range = request.list("Range");
        boolean unshared = uncollapsed.contains(request.url);
        if (request.head) {
            return forward(live, request, origin, why, null, stored);
        }
        if (request.noStore) {
            return forward(live, request, origin, why, StoreRefusal.REQUEST_NO_STORE, null);
        }
        if (stored == null && range != null && (unshared || !range.strip().equals("bytes=0-"))) {
            return forward(live, request, origin, why, StoreRefusal.RANGE, null);
        }
        if (stored == null && unshared && isConditional(request)) {
            return forward(live, request, origin, why, null, null);
        }
        request.detach();
        Waiter waiter = waiter(live, request, origin, why);
        if (unshared
                || why == Forward.REQUEST
                || request.wantsValidation()
                || stored != null && stored.facts.noCache()) {
            fetchAlone(waiter, stored);
        } else {
            collapse(waiter, stored);
        }
        return Response.async(waiter.reply);
    }

    private static boolean isConditional(CacheRequest request) {
        return request.has("If-None-Match") || request.has("If-Modified-Since");
    }

    private Waiter waiter(Request live, CacheRequest request, Origin origin, Forward why) {
        var waiter = new Waiter(request, origin, why);
        live.onComplete( // a client that has only closed its sending side still reads
                () -> {
                    left(waiter); // its response may have been another one
                    waiter.relayed.close();
                });
        return waiter;
    }

    private static void left(Waiter waiter) {
        waiter.gone = true;
        OriginFetch fetch = waiter.fetch;
        if (fetch != null) {
            onLoop(fetch.loop(), () -> fetch.leave(waiter));
        }
    }

    // ---- fetches

    /** Has a request wait for a fetch in progress, or begin one that others can wait for. */
    private void collapse(Waiter waiter, StoredResponse stale) {
        OriginFetch mine = fetch(waiter.request, waiter.origin, stale, true, false);
        OriginFetch fetch = fetches.joinOrAdd(mine);
        StoredResponse now = fetch == mine ? stored(waiter.request) : null;
        if (isFresh(waiter.request, now)) { // another fetch has ended since the lookup
            onLoop(mine.loop(), mine::abandon);
            counters.hits.increment();
            complete(waiter, now, HIT, true);
            return;
        }
        waiter.fetch = fetch;
        waiter.collapsed = fetch != mine;
        boolean taken =
                onLoop(
                        fetch.loop(),
                        () -> {
                            fetch.join(waiter);
                            if (fetch == mine) {
                                fetch.start();
                            }
                        });
        if (!taken && fetch != mine) {
            fetches.remove(fetch); // its loop has ended, and so has the fetch
            fetchAlone(waiter, stale);
        }
    }

    /** Forwards a request without waiting for another one. Any thread. */
    void fetchAlone(Waiter waiter, StoredResponse stale) {
        OriginFetch fetch = fetch(waiter.request, waiter.origin, stale, false, false);
        onLoop(
                waiter.request.loop,
                () -> {
                    if (waiter.gone) {
                        waiter.reply.cancel(false);
                        return;
                    }
                    waiter.collapsed = false;
                    fetches.add(fetch);
                    fetch.join(waiter);
                    fetch.start();
                });
    }

    /** Has a request look again: what it waited for was another variant, or has ended. */
    void retry(Waiter waiter) {
        onLoop(
                waiter.request.loop,
                () -> {
                    if (waiter.gone) {
                        waiter.reply.cancel(false);
                        return;
                    }
                    StoredResponse stored = stored(waiter.request);
                    if (isFresh(waiter.request, stored)) {
                        counters.collapsed.increment();
                        complete(waiter, stored, HIT, true);
                    } else if (++waiter.rounds > ROUNDS) {
                        fetchAlone(waiter, stored);
                    } else {
                        collapse(waiter, stored);
                    }
                });
    }

    private StoredResponse stored(CacheRequest request) {
        Variants variants = store.get(request.url);
        return variants == null ? null : variants.select(request);
    }

    private boolean isFresh(CacheRequest request, StoredResponse stored) {
        return stored != null && Reuse.of(request, stored.facts, now()) == Reuse.FRESH;
    }

    private void revalidate(CacheRequest request, Origin origin, StoredResponse stale) {
        if (background.incrementAndGet() > BACKGROUND) {
            background.decrementAndGet();
            return;
        }
        OriginFetch mine = fetch(request, origin, stale, true, true);
        boolean begun = fetches.joinOrAdd(mine) == mine && onLoop(request.loop, mine::start);
        if (!begun) {
            fetches.remove(mine);
            background.decrementAndGet();
        }
    }

    void backgroundEnded() {
        background.decrementAndGet();
    }

    private OriginFetch fetch(
            CacheRequest request,
            Origin origin,
            StoredResponse stale,
            boolean joinable,
            boolean inBackground) {
        VarySelector guess = VarySelector.of(likelyVary(request.url), request);
        return new OriginFetch(this, request, origin, stale, guess, joinable, inBackground);
    }

    /** Returns the headers that responses of a URL depend on, as far as that is known. */
    private Set<String> likelyVary(String url) {
        var names = new TreeSet<String>(Set.of("accept-encoding"));
        Variants variants = store.get(url);
        if (variants != null) {
            variants.all().forEach(stored -> names.addAll(stored.facts.vary()));
        }
        fetches.forEach(
                url,
                fetch ->
                        fetch.selector().names().stream()
                                .filter(name -> name.indexOf(':') < 0)
                                .forEach(names::add));
        return names;
    }

    CompletableFuture<OriginResponse> send(Origin origin, OriginRequest request) {
        try {
            return origin.fetch(request).toCompletableFuture();
        } catch (Throwable e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    // ---- responses

    /** Completes the response of a request that waits. The loop of the fetch. */
    void complete(Waiter waiter, StoredResponse stored, CacheStatus how, boolean aged) {
        deliver(waiter, stored, serve(stored, waiter.request, how, aged));
    }

    private void deliver(Waiter waiter, StoredResponse stored, CompletableFuture<Response> served) {
        served.whenComplete(
                (response, thrown) -> {
                    if (thrown == null) {
                        waiter.reply.complete(response);
                    } else { // its file is gone
                        store.remove(stored);
                        fetchAlone(waiter, null);
                    }
                });
    }

    /**
     * Returns the response to a request from a stored one; fails if its file is gone.
     *
     * @param aged whether the response has an age: that of one that is used without a validation
     */
    private CompletableFuture<Response> serve(
            StoredResponse stored, CacheRequest request, CacheStatus how, boolean aged) {
        if (stored.body instanceof StoredBody.Disk body) {
            OpenFile file = disk.opened(body);
            return file != null
                    ? CompletableFuture.completedFuture(reply(stored, request, file, how, aged))
                    : disk.open(body)
                            .thenApply(opened -> reply(stored, request, opened, how, aged));
        }
        return CompletableFuture.completedFuture(reply(stored, request, null, how, aged));
    }

    private Response reply(
            StoredResponse stored,
            CacheRequest request,
            OpenFile file,
            CacheStatus how,
            boolean aged) {
        long now = now();
        boolean common =
                how == HIT
                        && stored.body instanceof StoredBody.Memory
                        && !isConditional(request)
                        && !request.has("Range");
        StoredResponse.CachedReply last = stored.reply;
        if (common && last != null && last.second() == now / 1000) {
            return last.response();
        }
        long age = stored.facts.age(now);
        Headers headers = stored.headers;
        if (aged) {
            headers = headers.with("Age", Long.toString(age / 1000));
        }
        long ttl = Math.floorDiv(stored.facts.lifetime() - age, 1000L);
        headers = how.withTtl(ttl).addTo(headers, settings);
        Response response = Reply.of(stored, request, file, headers, settings);
        if (common) {
            stored.reply = new StoredResponse.CachedReply(now / 1000, response);
        }
        return response;
    }

    /** Returns the origin's response as it is. */
    Response relay(OriginResponse from, CacheStatus how, RelayedBody body) {
        body.begin(from.body());
        Headers headers = how.addTo(StoredResponse.endToEnd(from.headers()), settings);
        if (from.status() == 205) { // RFC 9110 15.3.6: no content
            body.close();
            return Response.empty(205).headers(headers);
        }
        long length = from.length().orElse(-1);
        Response response = Response.forwarded(from.status(), headers, length, body);
        return length < 0
                ? response.trailers(() -> StoredResponse.endToEnd(from.trailers().get()))
                : response;
    }

    /** Completes a response that the origin has failed to give. */
    void fail(
            CompletableFuture<Response> reply,
            Origin origin,
            Forward why,
            boolean collapsed,
            Throwable thrown) {
        try {
            Optional<Response> page = origin.failureResponse(thrown);
            if (page.isPresent()) {
                var how = CacheStatus.forwarded(why, 0, null).withCollapsed(collapsed);
                reply.complete(how.addTo(page.get(), settings));
                return;
            }
        } catch (RuntimeException e) {
            thrown.addSuppressed(e);
        }
        reply.completeExceptionally(thrown);
    }

    void countMiss() {
        counters.misses.increment();
    }

    // ---- requests that the cache only forwards

    /**
     * @param refusal why the response is not stored; null if that is clear
     * @param stored the response that one to HEAD may confirm or refute (RFC 9111 4.3.5), or null
     */
    private Response forward(
            Request live,
            CacheRequest request,
            Origin origin,
            Forward why,
            StoreRefusal refusal,
            StoredResponse stored) {
        boolean lookedUp = why != Forward.METHOD && why != Forward.BYPASS && refusal == null;
        (lookedUp ? counters.misses : counters.bypassed).increment();
        request.detach();
        OriginRequest sent = request.toOrigin(request.headers(), false);
        var reply = new CompletableFuture<Response>();
        long requestTime = now();
        boolean taken =
                onLoop(
                        request.loop,
                        () -> {
                            CompletableFuture<OriginResponse> response = send(origin, sent);
                            var body = new RelayedBody();
                            live.onComplete(
                                    () -> {
                                        response.cancel(false);
                                        body.close();
                                    });
                            response.whenComplete(
                                    (from, thrown) -> {
                                        if (thrown != null) {
                                            fail(reply, origin, why, false, thrown);
                                            return;
                                        }
                                        Runnable arrived =
                                                () -> {
                                                    forwarded(request, from, stored, requestTime);
                                                    deliver(reply, from, why, refusal, body);
                                                };
                                        if (!onLoop(request.loop, arrived)) {
                                            from.body().close();
                                        }
                                    });
                        });
        if (!taken) {
            reply.cancel(false);
        }
        return Response.async(reply);
    }

    /** Gives the response of the origin to one client alone. The loop of its request. */
    void deliver(
            CompletableFuture<Response> reply,
            OriginResponse from,
            Forward why,
            StoreRefusal refusal,
            RelayedBody body) {
        try {
            reply.complete(relay(from, CacheStatus.forwarded(why, from.status(), refusal), body));
        } catch (RuntimeException e) { // a header that cannot be sent
            body.close();
            reply.completeExceptionally(e);
        }
    }

    private void forwarded(
            CacheRequest request, OriginResponse response, StoredResponse stored, long sent) {
        if (!SAFE.contains(request.method) && response.status() < 400) {
            invalidate(request, response.headers());
        }
        if (request.head && stored != null && response.status() == 200) {
            confirm(request, response, stored, sent);
        }
    }

    /** RFC 9111 4.4. */
    private void invalidate(CacheRequest request, Headers headers) {
        purge(request.url);
        for (String name : new String[] {"Location", "Content-Location"}) {
            headers.first(name)
                    .map(uri -> CacheUrl.sameOrigin(request.url, uri, request.rules.ignoredQuery()))
                    .ifPresent(this::purge);
        }
    }

    /** RFC 9111 4.3.5: a response to HEAD that describes another body ends the stored one. */
    private void confirm(
            CacheRequest request, OriginResponse response, StoredResponse stored, long sent) {
        Headers headers = response.headers();
        boolean same =
                stored.facts.hasValidator()
                        && headers.first("ETag").equals(stored.headers.first("ETag"))
                        && headers.first("Last-Modified")
                                .equals(stored.headers.first("Last-Modified"))
                        && (response.length().isEmpty()
                                || response.length().getAsLong() == stored.body.length());
        if (!same || !stored.usable()) {
            store.remove(stored);
            return;
        }
        StoredResponse fresh = freshened(stored, request, headers, sent);
        if (StoreRefusal.of(request, fresh.headers, fresh.facts, settings) == null
                && store.get(request.url) instanceof Variants now
                && now.all().contains(stored)) {
            store.put(fresh);
        } else {
            store.remove(stored);
        }
    }

    // ---- the store

    /** Returns a stored response with the headers of one that confirms it (RFC 9111 3.2). */
    StoredResponse freshened(
            StoredResponse valid, CacheRequest request, Headers confirming, long requestTime) {
        long now = now();
        Headers updated = valid.updatedBy(OriginFetch.dated(confirming, now));
        ResponseFacts facts =
                ResponseFacts.of(valid.facts.status(), updated, requestTime, now, request.rules);
        return new StoredResponse(
                valid.url,
                valid.keys,
                VarySelector.of(facts.vary(), request),
                StoredResponse.storable(updated, facts),
                valid.trailers,
                facts,
                valid.body);
    }

    /**
     * Stores the response of a fetch, unless the fetch has been purged.
     *
     * @return whether it is stored
     */
    boolean store(StoredResponse entry, OriginFetch fetch) {
        if (closed || fetch.isPurged()) {
            if (entry.body instanceof StoredBody.Disk body) {
                disk.discard(body);
            }
            return false;
        }
        store.put(entry);
        if (fetch.isPurged()) { // meanwhile: the purge may not have seen it
            store.remove(entry);
            return false;
        }
        uncollapsed.remove(entry.url);
        counters.stored.increment();
        return true;
    }

    /** Takes note of rules, by which {@link #purgeUrl} finds the keys of a URL. */
    RuleSettings known(RuleSettings rules) {
        ignoredQueries.add(rules.ignoredQuery());
        return rules;
    }

    /** Removes the responses of an absolute URL, whichever rules its route has. */
    int purgeUrl(String url) {
        var keys = new TreeSet<String>();
        ignoredQueries.forEach(ignored -> keys.add(CacheUrl.parse(url, ignored)));
        return keys.stream().mapToInt(this::purge).sum();
    }

    /** Removes the responses of a URL, and keeps those that arrive from being stored. */
    int purge(String url) {
        fetches.forEach(url, OriginFetch::purge);
        return store.removeUrl(url);
    }

    /** The same for the responses with a tag; those that arrive may have it. */
    int purgeTag(String tag) {
        fetches.forEach(OriginFetch::purge);
        return store.removeIf(stored -> stored.facts.tags().contains(tag));
    }

    int purgeAll() {
        fetches.forEach(OriginFetch::purge);
        return store.removeIf(stored -> true);
    }

    void close() {
        closed = true;
        store.close();
    }

    /**
     * Runs a task on a loop, at once if the caller is its thread. A virtual thread that the loop
     * carries might park in the middle of it, at a lock of a store, and others would see half of
     * it.
     *
     * @return false if the loop has ended
     */
    static boolean onLoop(Loop loop, Runnable task) {
        if (loop.isOwnThread() && loop.runInLoop(task)) {
            return true;
        }
        try {
            loop.execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }
}
