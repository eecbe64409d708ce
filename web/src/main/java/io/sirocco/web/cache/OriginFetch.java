// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import io.sirocco.http.Headers;
import io.sirocco.http.HttpDate;
import io.sirocco.net.Loop;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;

/**
 * One GET request to the origin, for the request that led to it and those that have joined it.
 *
 * <pre>
 *   SENT ──▶ 304 ───────────────────────────────────▶ DONE   the stored response is fresh again
 *    │  ├──▶ error ─────────────────────────────────▶ DONE   stale, if allowed
 *    │  ├──▶ must not be stored ────────────────────▶ DONE   the leader has it, the others fetch
 *    │  └──▶ nobody waits any longer ───────────────▶ DONE   cancelled
 *    └──▶ ARRIVING ──▶ complete: stored ────────────▶ DONE
 *                └───▶ incomplete, too large, purged ▶ DONE
 * </pre>
 *
 * Confined to the loop of its request, but for {@link #canBeJoinedBy} and {@link #purge}.
 */
final class OriginFetch implements SharedBody.Listener {
    private enum State {
        SENT,
        ARRIVING,
        DONE
    }

    private final CacheEngine engine;
    private final CacheRequest request;
    private final Origin origin;
    private final Loop loop;
    private final StoredResponse stale; // to be revalidated, or served if the origin fails; or null
    private final boolean background;
    private final List<Waiter> waiters = new ArrayList<>();
    private volatile int waiting; // the size of it, for other threads
    private State state = State.SENT;
    private boolean conditional;
    private long requestTime;
    private CompletableFuture<OriginResponse> sent;
    private StoredResponse arriving;
    private SharedBody body;

    private volatile VarySelector selector; // a guess, until the response says
    private volatile boolean joinable;
    private volatile boolean storing;
    private volatile boolean purged;

    OriginFetch(
            CacheEngine engine,
            CacheRequest request,
            Origin origin,
            StoredResponse stale,
            VarySelector guess,
            boolean joinable,
            boolean background) {
        this.engine = engine;
        this.request = request;
        this.origin = origin;
        this.loop = request.loop;
        this.stale = stale;
        this.selector = guess;
        this.joinable = joinable;
        this.background = background;
    }

    String url() {
        return request.url;
    }

    CacheRequest request() {
        return request;
    }

    /** Any thread. */
    boolean canBeJoinedBy(CacheRequest other) {
        return joinable && !purged && selector.matches(other);
    }

    /** Returns whether its response is being stored under a selector. Any thread. */
    boolean stores(VarySelector other) {
        return storing && selector.equals(other);
    }

    /** The secondary key, as far as it is known. Any thread. */
    VarySelector selector() {
        return selector;
    }

    /** The loop that it is confined to. Any thread. */
    Loop loop() {
        return loop;
    }

    /** Its response must neither be stored nor served to later requests. Any thread. */
    void purge() {
        purged = true;
    }

    // ---- requests that wait

    /** Adds a request. One that cannot be served is forwarded by itself. */
    void join(Waiter waiter) {
        waiter.fetch = this;
        switch (state) {
            case SENT -> {
                waiters.add(waiter);
                waiting = waiters.size();
                if (waiter.collapsed) {
                    waiter.timeout =
                            loop.schedule(
                                    engine.settings.collapseTimeout(),
                                    () -> {
                                        if (remove(waiter)) {
                                            engine.fetchAlone(waiter, stale);
                                            cancelIfUnused();
                                        }
                                    });
                }
            }
            case ARRIVING -> {
                if (waiter.collapsed && servesArriving(waiter)) {
                    serveArriving(waiter);
                } else {
                    engine.retry(waiter);
                }
            }
            case DONE -> engine.retry(waiter);
        }
    }

    /** The client of a request has disconnected. */
    void leave(Waiter waiter) {
        if (remove(waiter)) {
            cancelTimeout(waiter);
            waiter.reply.cancel(false); // nobody reads a response
            cancelIfUnused();
        }
    }

    /** It is not needed: requests that have joined it look again. */
    void abandon() {
        if (state == State.SENT && sent == null) {
            done();
            takeWaiters().forEach(engine::retry);
        }
    }

    private boolean remove(Waiter waiter) {
        boolean removed = waiters.remove(waiter);
        waiting = waiters.size();
        return removed;
    }

    /** The number of requests that wait for its response. Any thread. */
    int waiting() {
        return waiting;
    }

    private void cancelIfUnused() {
        if (state == State.SENT && waiters.isEmpty() && !background) {
            done();
            if (sent != null) {
                sent.cancel(false);
            }
        }
    }

    private List<Waiter> takeWaiters() {
        List<Waiter> all = List.copyOf(waiters);
        waiters.clear();
        waiting = 0;
        all.forEach(OriginFetch::cancelTimeout);
        return all;
    }

    private static void cancelTimeout(Waiter waiter) {
        if (waiter.timeout != null) {
            waiter.timeout.cancel();
            waiter.timeout = null;
        }
    }

    private void done() {
        state = State.DONE;
        joinable = false;
        storing = false;
        engine.fetches.remove(this);
        if (background) {
            engine.backgroundEnded();
        }
    }

    // ---- the request

    /** Sends the request, as a conditional one if something can be revalidated. */
    void start() {
        if (state != State.SENT) {
            return; // all have left before it was sent
        }
        send(stale != null && stale.facts.hasValidator() && stale.usable());
    }

    private void send(boolean withConditions) {
        conditional = withConditions;
        Headers fields =
                request.headers()
                        .without("If-None-Match")
                        .without("If-Modified-Since")
                        .without("If-Range")
                        .without("Range");
        if (request.onlyIfCached) { // in the background
            fields = fields.without("Cache-Control");
        }
        if (conditional) { // RFC 9111 4.3.1
            ResponseFacts facts = stale.facts;
            if (facts.etag() != null) {
                fields = fields.set("If-None-Match", facts.etag());
            }
            if (facts.lastModified() >= 0) {
                String date = stale.headers.first("Last-Modified").orElseThrow();
                fields = fields.set("If-Modified-Since", date);
            }
        }
        requestTime = engine.now();
        sent = engine.send(origin, request.toOrigin(fields, background));
        CompletableFuture<OriginResponse> mine = sent;
        if (mine.isDone()) {
            arrived(mine);
        } else {
            mine.whenComplete(
                    (response, thrown) -> {
                        try {
                            loop.execute(() -> arrived(mine));
                        } catch (RejectedExecutionException e) {
                            if (response != null) {
                                response.body().close();
                            }
                        }
                    });
        }
    }

    private void arrived(CompletableFuture<OriginResponse> from) {
        OriginResponse response;
        Throwable thrown = null;
        try {
            response = from.join();
        } catch (Throwable e) {
            response = null;
            thrown = e instanceof CompletionException && e.getCause() != null ? e.getCause() : e;
        }
        if (state != State.SENT) {
            if (response != null) {
                response.body().close();
            }
        } else if (response == null) {
            failed(null, thrown);
        } else if (isFailure(response.status()) && stale != null) {
            failed(response, null);
        } else if (response.status() == 304 && conditional) {
            response.body().close();
            validated(response.headers());
        } else {
            full(response);
        }
    }

    /** RFC 5861 4. */
    private static boolean isFailure(int status) {
        return status == 500 || status == 502 || status == 503 || status == 504;
    }

    // ---- the origin fails

    private void failed(OriginResponse response, Throwable thrown) {
        int status = response == null ? 0 : response.status();
        long now = engine.now();
        var rest = new ArrayList<Waiter>();
        for (Waiter waiter : takeWaiters()) {
            if (stale != null
                    && stale.selects(waiter.request)
                    && Reuse.onError(waiter.request, stale.facts, now)) {
                engine.counters.stale.increment();
                var how =
                        new CacheStatus(
                                Forward.STALE,
                                status,
                                false,
                                waiter.collapsed,
                                CacheStatus.NO_TTL,
                                "stale-if-error");
                engine.complete(waiter, stale, how, true);
            } else {
                rest.add(waiter);
            }
        }
        if (response != null) {
            notStored(response, rest, refusal(response, facts(response)));
        } else {
            done();
            for (Waiter waiter : rest) {
                engine.countMiss();
                engine.fail(waiter.reply, waiter.origin, waiter.forward, waiter.collapsed, thrown);
            }
        }
    }

    // ---- the stored response is still valid

    private void validated(Headers notModified) {
        StoredResponse valid = confirmed(notModified);
        if (valid == null || !valid.usable()) {
            send(false); // its body is gone, or it is not ours: ask for all of it
            return;
        }
        StoredResponse fresh = engine.freshened(valid, request, notModified, requestTime);
        StoreRefusal refusal = refusal(fresh.headers, fresh.facts);
        boolean kept = refusal == null && engine.store(fresh, this);
        if (refusal != null) {
            engine.store.remove(valid);
        }
        List<Waiter> all = takeWaiters();
        done();
        boolean aged = notModified.has("Age");
        for (Waiter waiter : all) {
            boolean mine = !waiter.collapsed;
            if (mine
                    || refusal == null
                            && fresh.selects(waiter.request)
                            && Reuse.shared(waiter.request, fresh.facts)) {
                (mine ? engine.counters.revalidated : engine.counters.collapsed).increment();
                var how =
                        new CacheStatus(
                                waiter.forward,
                                304,
                                kept,
                                !mine,
                                CacheStatus.NO_TTL,
                                name(refusal));
                engine.complete(waiter, fresh, how, aged || !mine);
            } else {
                engine.fetchAlone(waiter, fresh);
            }
        }
    }

    /** Returns the response that a 304 is about (RFC 9111 4.3.4); null if we do not have it. */
    private StoredResponse confirmed(Headers notModified) {
        String etag = notModified.first("ETag").orElse(null);
        if (etag == null
                || stale.facts.etag() != null
                        && Reply.opaque(etag).equals(Reply.opaque(stale.facts.etag()))) {
            return stale;
        }
        Variants variants = engine.store.get(url());
        if (variants == null || etag.startsWith("W/")) {
            return null;
        }
        return variants.all().stream()
                .filter(other -> etag.equals(other.facts.etag()))
                .findFirst()
                .orElse(null);
    }

    private static String name(StoreRefusal refusal) {
        return refusal == null ? null : refusal.name();
    }

    // ---- a response with a body

    private ResponseFacts facts(OriginResponse response) {
        return ResponseFacts.of(
                response.status(), response.headers(), requestTime, engine.now(), request.rules);
    }

    private StoreRefusal refusal(Headers headers, ResponseFacts facts) {
        StoreRefusal refusal = StoreRefusal.of(request, headers, facts, engine.settings);
        return refusal == null && !Collections.disjoint(facts.vary(), origin.clientHeaders())
                ? StoreRefusal.VARY_FORWARDED
                : refusal;
    }

    private StoreRefusal refusal(OriginResponse response, ResponseFacts facts) {
        if (purged) {
            return StoreRefusal.PURGED;
        }
        StoreRefusal refusal = refusal(response.headers(), facts);
        if (refusal == null && response.length().orElse(0) > engine.settings.largestBody()) {
            refusal = StoreRefusal.BODY_TOO_LARGE;
        }
        if (refusal == null
                && engine.fetches.isArriving(url(), VarySelector.of(facts.vary(), request))) {
            refusal = StoreRefusal.BEING_STORED;
        }
        return refusal;
    }

    private void full(OriginResponse response) {
        ResponseFacts facts = facts(response);
        StoreRefusal refusal = refusal(response, facts);
        if (refusal != null) {
            if (stale != null && response.status() < 500 && refusal != StoreRefusal.BEING_STORED) {
                engine.store.remove(stale); // RFC 9111 4.3.3: the origin has another one now
            }
            notStored(response, takeWaiters(), refusal);
            return;
        }
        Headers endToEnd = StoredResponse.endToEnd(response.headers());
        state = State.ARRIVING;
        selector = VarySelector.of(facts.vary(), request);
        storing = true;
        joinable = Reuse.shared(request, facts);
        body =
                new SharedBody(
                        loop,
                        response,
                        engine.settings,
                        engine.disk,
                        engine.memoryInProgress,
                        this);
        arriving =
                new StoredResponse(
                        url(),
                        request.rules.keys(),
                        selector,
                        StoredResponse.storable(endToEnd, facts),
                        Headers.none(),
                        facts,
                        new StoredBody.Arriving(body, response.length().orElse(-1)));
        boolean aged = response.headers().has("Age");
        for (Waiter waiter : takeWaiters()) {
            if (!waiter.collapsed) {
                engine.countMiss();
                var how = CacheStatus.forwarded(waiter.forward, response.status(), null);
                engine.complete(waiter, arriving, how.withStored(), aged);
            } else if (servesArriving(waiter)) {
                serveArriving(waiter);
            } else if (joinable) {
                engine.retry(waiter); // for another variant
            } else {
                engine.uncollapsed.add(url());
                engine.fetchAlone(waiter, null);
            }
        }
        body.start();
    }

    private boolean servesArriving(Waiter waiter) {
        return !purged
                && storing
                && arriving.selects(waiter.request)
                && Reuse.shared(waiter.request, arriving.facts);
    }

    private void serveArriving(Waiter waiter) {
        engine.counters.collapsed.increment();
        var how =
                CacheStatus.forwarded(waiter.forward, arriving.facts.status(), null)
                        .withCollapsed(true);
        engine.complete(waiter, arriving, how, true);
    }

    /** The leader has the response alone; the others fetch by themselves. */
    private void notStored(OriginResponse response, List<Waiter> all, StoreRefusal refusal) {
        done();
        engine.uncollapsed.add(url());
        boolean used = false;
        for (Waiter waiter : all) {
            if (!waiter.collapsed && !used) {
                used = true;
                engine.countMiss();
                engine.deliver(waiter.reply, response, waiter.forward, refusal, waiter.relayed);
            } else {
                engine.fetchAlone(waiter, null);
            }
        }
        if (!used) {
            response.body().close();
        }
    }

    // ---- what becomes of the body

    @Override
    public void complete(StoredBody whole) {
        engine.store(arriving.with(whole, body.trailers()), this);
        done();
    }

    @Override
    public void refused(StoreRefusal why) {
        done();
    }

    boolean isPurged() {
        return purged;
    }

    /** The date of a 304 without one is that of its arrival (RFC 9110 6.6.1). */
    static Headers dated(Headers notModified, long now) {
        return notModified.has("Date")
                ? notModified
                : notModified.with("Date", HttpDate.format(now / 1000));
    }
}
