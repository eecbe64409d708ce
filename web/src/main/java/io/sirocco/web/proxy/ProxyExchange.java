// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import io.sirocco.http.Body;
import io.sirocco.http.Headers;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Status;
import io.sirocco.http.client.ClientRequest;
import io.sirocco.http.client.ClientResponse;
import io.sirocco.http.client.HttpClientException;
import io.sirocco.http.client.HttpClientException.Reason;
import io.sirocco.net.Loop;
import io.sirocco.net.log.LazyLogger;
import io.sirocco.net.log.RepeatedFailures;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * One request through a {@link Proxy}, and its attempts.
 *
 * <pre>
 *   begin ─▶ attempt ─▶ response of the server ─▶ body ─▶ end
 *     │       ▲   │              │                  └─ breaks off: the client's connection is reset
 *     │       └───┤ failed,      └─ 101 ─▶ {@link Tunnel} ─▶ end
 *     │   once more, elsewhere
 *     └───────────┴─ 502, 503, 504 ─▶ end
 * </pre>
 *
 * <p>The client may leave at any time; then the attempt is cancelled. Loop-confined, but for the
 * constructor, which reads the request on the thread of the handler.
 */
final class ProxyExchange {
    private static final RepeatedFailures FAILURES =
            new RepeatedFailures(LazyLogger.of(Proxy.class), Level.WARNING);

    /** RFC 9110 9.2.2. */
    private static final Set<String> IDEMPOTENT =
            Set.of("GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY");

    private final Proxy proxy;
    private final Upstream upstream;
    private final Request request;
    private final ProxyOutcome outcome;
    private final Loop loop;
    private final String method;
    private final String target;
    private final List<String> headers;
    private final String protocol; // of an upgrade; empty for none
    private final boolean idempotent;
    private final boolean expects; // 100 (Continue)
    private final boolean secure;
    private final long length; // of the body; -1 if unknown
    private final RequestBodySource body; // null for none
    private final Body trailers; // of the request; null for none
    private final String sticky;
    private final CompletableFuture<Response> result = new CompletableFuture<>();

    private LoopUpstream at;
    private long key;
    private Set<UpstreamServer> tried = Set.of();
    private long due; // in milliseconds of the loop
    private UpstreamServer server; // of the attempt
    private CompletableFuture<ClientResponse> call;
    private ResponseBodySource source; // of the response; null before it
    private Tunnel tunnel; // null unless the server has upgraded
    private boolean counted; // in what is in progress
    private boolean gone; // the client is

    ProxyExchange(Proxy proxy, Request request, ProxyOutcome outcome) {
        this.proxy = proxy;
        this.upstream = proxy.upstream;
        this.request = request;
        this.outcome = outcome;
        this.loop = request.loop();
        this.method = request.method();
        this.target = proxy.rules.target(request);
        this.headers = proxy.rules.request(request);
        this.protocol = proxy.rules.upgrade(request);
        this.idempotent = IDEMPOTENT.contains(method);
        this.length = request.body().length().orElse(-1);
        this.body = length == 0 ? null : new RequestBodySource(request.body(), idempotent);
        this.trailers = length < 0 ? request.body() : null;
        this.expects = body != null && request.header("Expect").isPresent();
        this.secure = request.isSecure();
        this.sticky = proxy.rules.sticky().of(request);
    }

    /** Returns the response, which is usually still to come. */
    Response begin() {
        upstream.requests.increment();
        at = upstream.on(loop);
        int most = upstream.settings.maxRequests;
        int now = upstream.inProgress.incrementAndGet();
        counted = true;
        if (most > 0 && now > most) {
            return refused(ProxyFailure.BUSY, "the limit of requests");
        }
        key = at.key(request);
        due = loop.now() + upstream.settings.totalTimeout.toMillis();
        at.budget.request(loop.now());
        UpstreamServer first = at.choose(sticky, key, tried);
        if (first == null) {
            return refused(ProxyFailure.NO_SERVER, "no server is available");
        }
        request.onDisconnect(this::clientGone);
        request.onComplete(this::completed);
        if (gone) {
            end();
            result.cancel(false);
        } else {
            attempt(first);
        }
        return Response.async(result);
    }

    // ---- attempts

    private void attempt(UpstreamServer next) {
        server = next;
        outcome.server = next.name;
        outcome.attempts++;
        next.requests.increment();
        next.inProgress.incrementAndGet();
        CompletableFuture<ClientResponse> sent;
        try {
            sent = upstream.client.sendAsync(loop, message(next));
        } catch (IllegalArgumentException e) { // a target, or a header, that cannot be sent
            leave();
            FAILURES.log("proxy", "a request cannot be forwarded", e);
            respond(page(ProxyFailure.REQUEST));
            return;
        }
        call = sent;
        sent.whenComplete((response, thrown) -> ended(response, thrown));
    }

    private ClientRequest message(UpstreamServer to) {
        headers.set(1, proxy.rules.host(request, to));
        ClientRequest message =
                ClientRequest.of(method, to.origin, target)
                        .headers(Headers.of(headers.toArray(String[]::new)))
                        .onInterim(this::interim)
                        .timeout(Duration.ofMillis(Math.max(1, due - loop.now())));
        if (body != null) {
            message = message.body(length, body.open());
            if (trailers != null) {
                message = message.trailers(trailers::trailers);
            }
            if (expects) {
                message = message.expectContinue();
            }
        }
        if (!protocol.isEmpty()) {
            message =
                    message.upgrade(
                            protocol,
                            connection -> {
                                tunnel = new Tunnel(connection, upstream, to);
                                return tunnel;
                            });
        }
        return message;
    }

    private void interim(int status, Headers fields) {
        if (status > 101 && !gone) {
            request.interim(status, proxy.rules.response(fields, "HTTP/1.1", server, "", ""));
        }
    }

    private void ended(ClientResponse response, Throwable thrown) {
        if (!loop.inLoop()) { // the client is closed, or a loop has ended
            loop.execute(() -> ended(response, thrown));
            return;
        }
        try {
            if (gone) {
                end();
                if (response != null) {
                    response.close();
                }
                result.cancel(false); // the server ends the exchange, whose client may still read
            } else if (thrown == null) {
                responded(response);
            } else {
                failed(thrown instanceof CompletionException e ? e.getCause() : thrown);
            }
        } catch (Throwable e) { // or the client would wait for ever
            end();
            if (response != null) {
                response.close();
            }
            result.completeExceptionally(e);
        }
    }

    private void failed(Throwable thrown) {
        Reason reason =
                thrown instanceof HttpClientException e ? e.reason() : Reason.LISTENER_FAILED;
        ProxyFailure failure = ProxyFailure.of(reason);
        UpstreamServer lost = server;
        if (failure.ofServer) {
            failedAt(lost);
        }
        leave();
        outcome.failure = failure + ": " + reason;
        if (failure == ProxyFailure.REQUEST) {
            end();
            result.completeExceptionally(thrown.getCause() == null ? thrown : thrown.getCause());
            return;
        }
        log(lost, reason, thrown);
        UpstreamServer next = mayRetry(failure, reason) ? another(lost) : null;
        if (next == null) {
            respond(page(failure));
        } else {
            upstream.retries.increment();
            attempt(next);
        }
    }

    private void log(UpstreamServer lost, Reason reason, Throwable thrown) {
        String name = upstream.name().equals(lost.name) ? lost.name : upstream.name() + ": " + lost;
        FAILURES.log(reason.name(), "upstream " + name + ": " + reason, thrown);
    }

    private void failedAt(UpstreamServer lost) {
        lost.failures.increment();
        if (lost.health.failed(loop.now())) {
            upstream.log(lost, "is ejected");
        }
    }

    private boolean mayRetry(ProxyFailure failure, Reason reason) {
        boolean unseen = reason.retryable();
        boolean harmless = idempotent && ProxyFailure.beforeResponse(reason);
        return failure.ofServer
                && (unseen || harmless)
                && (body == null || body.isRepeatable())
                && outcome.attempts <= upstream.settings.retries
                && loop.now() < due;
    }

    private UpstreamServer another(UpstreamServer lost) {
        if (tried.isEmpty()) {
            tried = Collections.newSetFromMap(new IdentityHashMap<>(4));
        }
        tried.add(lost);
        UpstreamServer next = at.choose("", key, tried);
        return next != null && at.budget.retry(loop.now()) ? next : null;
    }

    // ---- the response

    private void responded(ClientResponse response) {
        int status = response.status();
        if (status > 599) {
            response.close();
            failedAt(server);
            leave();
            outcome.failure = ProxyFailure.BAD_GATEWAY + ": status " + status;
            respond(page(ProxyFailure.BAD_GATEWAY));
            return;
        }
        outcome.failure = "";
        if (upstream.settings.failureStatus.contains(status)) {
            failedAt(server);
        } else {
            server.health.succeeded();
        }
        if (body != null) {
            body.forget();
        }
        Headers fields =
                proxy.rules.response(
                        response.headers(),
                        response.version(),
                        server,
                        headers.get(1),
                        proxy.rules.sticky().set(sticky, server, secure));
        result.complete(status == 101 ? upgraded(fields) : forwarded(response, fields));
    }

    private Response forwarded(ClientResponse response, Headers fields) {
        long known = response.body().length().orElse(-1L);
        source = new ResponseBodySource(response.body().source(), this);
        Response forwarded = Response.forwarded(response.status(), fields, known, source);
        return known < 0 ? forwarded.trailers(response::trailers) : forwarded;
    }

    private Response upgraded(Headers fields) {
        server = null; // what is in progress is the tunnel now
        counted = false;
        tunnel.awaitClient();
        return Response.upgrade(protocol, tunnel::join).headers(fields.without("Trailer"));
    }

    /** The response broke off after its headers. */
    void bodyFailed(Throwable thrown) {
        if (gone) {
            return;
        }
        Throwable cause = thrown instanceof CompletionException e ? e.getCause() : thrown;
        Reason reason =
                cause instanceof HttpClientException e ? e.reason() : Reason.LISTENER_FAILED;
        ProxyFailure failure = ProxyFailure.of(reason);
        outcome.failure = failure + ": " + reason;
        if (failure.ofServer) {
            failedAt(server);
        }
        if (failure != ProxyFailure.REQUEST) {
            log(server, reason, cause);
        }
    }

    private void respond(Response response) {
        end();
        result.complete(response);
    }

    private Response refused(ProxyFailure failure, String why) {
        upstream.refused.increment();
        outcome.failure = failure + ": " + why;
        end();
        return page(failure);
    }

    private Response page(ProxyFailure failure) {
        Response page = proxy.page(failure.status, Status.reason(failure.status));
        return failure == ProxyFailure.BUSY ? page.setHeader("Retry-After", "1") : page;
    }

    // ---- the end

    private void clientGone() {
        gone = true;
        if (tunnel != null) {
            tunnel.abort();
        }
        if (call != null) {
            call.cancel(true);
        }
        if (source != null) {
            source.close();
        }
    }

    /** The request is over, perhaps with another response than that of the server. */
    private void completed() {
        if (call != null && !call.isDone()) {
            clientGone();
        } else if (source != null) {
            source.close();
        }
    }

    /** The attempt is over. */
    private void leave() {
        if (server != null) {
            server.inProgress.decrementAndGet();
            server = null;
        }
    }

    /** The exchange is over; does nothing the second time. */
    void end() {
        leave();
        if (counted) {
            counted = false;
            upstream.inProgress.decrementAndGet();
        }
    }
}
