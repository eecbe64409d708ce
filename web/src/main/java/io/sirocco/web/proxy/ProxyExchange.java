// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import io.sirocco.http.BodySource;
import io.sirocco.http.Headers;
import io.sirocco.http.client.ClientRequest;
import io.sirocco.http.client.ClientResponse;
import io.sirocco.http.client.HttpClientException;
import io.sirocco.http.client.HttpClientException.Reason;
import io.sirocco.net.Loop;
import io.sirocco.net.ScheduledTask;
import io.sirocco.net.log.LazyLogger;
import io.sirocco.net.log.RepeatedFailures;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;

/**
 * One request through a {@link Proxy}, and its attempts. {@link DirectExchange} delivers the
 * response to a client, {@link CacheExchange} to a cache, and {@link OwnExchange} to this program.
 *
 * <pre>
 *   begin ─▶ attempt ─▶ response of the server ─▶ body ─▶ end
 *     │       ▲   │              │                  └─ breaks off: the client's connection is reset
 *     │       └───┤ failed,      └─ 101 ─▶ {@link Tunnel} ─▶ end
 *     │   once more, elsewhere
 *     └───────────┴─ 502, 503, 504 ─▶ end
 * </pre>
 *
 * <p>The receiver of the response may leave at any time; then the attempt is cancelled.
 * Loop-confined, but for the constructor, which runs on the thread of the handler.
 */
abstract class ProxyExchange {
    private static final RepeatedFailures FAILURES =
            new RepeatedFailures(LazyLogger.of(Proxy.class), Level.WARNING);

    final Proxy proxy;
    final Upstream upstream;
    final ProxyOutcome outcome;
    final Loop loop;
    private final InboundRequest request;
    private final OutboundRequest outbound;
    private final String sticky; // the id of the server that the client is kept on

    private LoopUpstream loopUpstream;
    private long key;
    private Set<UpstreamServer> tried = Set.of();
    private long deadline; // in milliseconds of the loop
    private UpstreamServer server; // of the attempt
    private long attemptStart; // in nanoseconds of the loop's clock
    private String host; // of the attempt
    private CompletableFuture<ClientResponse> call;
    private BodySource source; // of the response; null while nobody has asked for it
    private boolean good; // the response is a success of the server if its body does not break off
    private boolean counted; // in upstream.inProgress
    private boolean cancelled; // the receiver no longer waits for the response

    ProxyExchange(Proxy proxy, InboundRequest request, ProxyOutcome outcome) {
        this.proxy = proxy;
        this.upstream = proxy.upstream;
        this.request = request;
        this.outcome = outcome;
        this.loop = request.loop;
        this.outbound = new OutboundRequest(request, proxy);
        this.sticky = proxy.rules.sticky().of(request);
    }

    // ---- the receiver of the response

    /**
     * Called before the first attempt: arranges that {@link #cancel} is called when the receiver
     * leaves.
     */
    abstract void begun();

    /** Delivers the response of a server, whose {@link #body} is still to be read. */
    abstract void forward(ClientResponse response, Headers fields);

    /** Delivers that there is no response of a server. */
    abstract void refuse(ProxyFailure failure);

    /** Delivers an exception that has no status. */
    abstract void fail(Throwable thrown);

    /** Ends without a response, since nobody waits for it. */
    abstract void endWithoutResponse();

    /** Delivers an interim response. */
    abstract void interim(int status, Headers fields);

    /** Returns whether the response may set the sticky cookie. */
    abstract boolean mayStick(ClientResponse response);

    /** Returns the longest time for the whole exchange. */
    Duration totalTimeout() {
        return upstream.settings.totalTimeout;
    }

    /** Returns the message to a server with the upgrade that the client has asked for. */
    ClientRequest upgrading(ClientRequest message, UpstreamServer to) {
        return message;
    }

    // ---- attempts

    final void begin() {
        upstream.requests.increment();
        loopUpstream = upstream.on(loop);
        int most = upstream.settings.maxRequests;
        int now = upstream.inProgress.incrementAndGet();
        counted = true;
        if (most > 0 && now > most) {
            refused(ProxyFailure.BUSY, "the limit of requests");
            return;
        }
        key = loopUpstream.key(request);
        deadline = loop.now() + totalTimeout().toMillis();
        loopUpstream.budget.request(loop.now());
        UpstreamServer first = loopUpstream.choose(sticky, key, tried);
        CompletableFuture<Void> answer = first == null ? upstream.answer() : null;
        if (first == null && answer == null) { // the answer may have come in between
            first = loopUpstream.choose(sticky, key, tried);
        }
        if (first == null && answer == null) {
            refused(ProxyFailure.NO_SERVER, "no server is available");
            return;
        }
        begun();
        if (answer != null) {
            awaitServer(answer, loop.now() + upstream.settings.connectTimeout.toMillis());
        } else {
            proceed(first);
        }
    }

    private void proceed(UpstreamServer first) {
        if (cancelled) {
            end();
            endWithoutResponse();
        } else if (first == null) {
            refused(ProxyFailure.NO_SERVER, "no server is available");
        } else {
            attempt(first);
        }
    }

    /** Waits for the answer of a name server, in milliseconds of the loop at most until a time. */
    private void awaitServer(CompletableFuture<Void> answer, long until) {
        if (loopUpstream.awaiting >= upstream.settings.maxWaiting) {
            refused(ProxyFailure.BUSY, "the limit of waiting requests");
            return;
        }
        loopUpstream.awaiting++;
        var woken = new CompletableFuture<Void>();
        woken.thenRun(
                () -> {
                    loopUpstream.awaiting--;
                    UpstreamServer first = loopUpstream.choose(sticky, key, tried);
                    CompletableFuture<Void> next = first == null ? upstream.answer() : null;
                    if (first == null && next == null) { // as in begin
                        first = loopUpstream.choose(sticky, key, tried);
                    }
                    if (next != null && !cancelled && loop.now() < until) {
                        awaitServer(next, until);
                    } else {
                        proceed(first);
                    }
                });
        ScheduledTask timer =
                loop.schedule(Math.max(1, until - loop.now()), () -> woken.complete(null));
        answer.thenRun(
                () -> {
                    try {
                        loop.execute(
                                () -> {
                                    timer.cancel();
                                    woken.complete(null);
                                });
                    } catch (RejectedExecutionException e) {
                        // the loop has ended, and the client's connection with it
                    }
                });
    }

    private void attempt(UpstreamServer next) {
        server = next;
        outcome.server = next.name;
        outcome.attempts++;
        next.requests.increment();
        next.inProgress.incrementAndGet();
        attemptStart = loop.clock().nanos();
        CompletableFuture<ClientResponse> sent;
        try {
            sent = upstream.client.sendAsync(loop, message(next));
        } catch (IllegalArgumentException e) { // a target, or a header, that cannot be sent
            FAILURES.log("proxy", "a request cannot be forwarded", e);
            respond(ProxyFailure.REQUEST);
            return;
        }
        call = sent;
        sent.whenComplete((response, thrown) -> ended(response, thrown));
    }

    private ClientRequest message(UpstreamServer to) {
        host = proxy.rules.host(request, to);
        var timeout = Duration.ofMillis(Math.max(1, deadline - loop.now()));
        ClientRequest message = outbound.message(to, host, timeout);
        return upgrading(message.onInterim(this::interimOfServer), to);
    }

    private void interimOfServer(int status, Headers fields) {
        if (status > 101 && !cancelled) {
            interim(status, proxy.rules.response(fields, "HTTP/1.1", server, "", ""));
        }
    }

    private void ended(ClientResponse response, Throwable thrown) {
        if (!loop.inLoop()) { // the client is closed, or a loop has ended
            loop.execute(() -> ended(response, thrown));
            return;
        }
        try {
            if (cancelled) {
                end();
                if (response != null) {
                    response.close();
                }
                endWithoutResponse();
            } else if (thrown == null) {
                responded(response);
            } else {
                failed(cause(thrown));
            }
        } catch (Throwable e) { // otherwise the client would wait for ever
            end();
            if (response != null) {
                response.close();
            }
            fail(e);
        }
    }

    private static Throwable cause(Throwable thrown) {
        return thrown instanceof CompletionException e ? e.getCause() : thrown;
    }

    private static Reason reason(Throwable thrown) {
        return thrown instanceof HttpClientException e ? e.reason() : Reason.LISTENER_FAILED;
    }

    /** Returns whether a failure counts against the server: not if it waited for a slow client. */
    private static boolean isOfServer(ProxyFailure failure, Throwable thrown) {
        return failure.ofServer
                && !(thrown instanceof HttpClientException e && e.waitedForCaller());
    }

    private void failed(Throwable thrown) {
        Reason reason = reason(thrown);
        ProxyFailure failure = ProxyFailure.of(reason);
        UpstreamServer lost = server;
        if (isOfServer(failure, thrown)) {
            failedAt(lost);
        }
        leaveServer();
        outcome.failure = failure + ": " + reason;
        if (failure == ProxyFailure.REQUEST) {
            end();
            fail(thrown.getCause() == null ? thrown : thrown.getCause());
            return;
        }
        log(lost, reason, thrown);
        UpstreamServer next = mayRetry(failure, reason) ? another(lost) : null;
        if (next == null) {
            respond(failure);
        } else {
            upstream.retries.increment();
            attempt(next);
        }
    }

    private void log(UpstreamServer lost, Reason reason, Throwable thrown) {
        String name = upstream.name().equals(lost.name) ? lost.name : upstream.name() + ": " + lost;
        String line = "upstream " + name + ": " + reason;
        if (reason == Reason.LISTENER_FAILED) {
            FAILURES.log(reason.name(), line, thrown); // code of this program
        } else {
            Throwable cause = thrown.getCause();
            String why = cause == null ? "" : ": " + cause.getMessage();
            // a certificate that one server has is not the trouble of another one
            String kind = reason == Reason.TLS_FAILED ? reason + lost.name + why : reason.name();
            FAILURES.logLine(kind, line + why, thrown);
        }
    }

    private void failedAt(UpstreamServer lost) {
        lost.failures.increment();
        if (lost.health.failed(loop.now())) {
            upstream.log(lost, "is ejected");
        }
    }

    private boolean mayRetry(ProxyFailure failure, Reason reason) {
        boolean unseen = reason.retryable();
        boolean harmless = outbound.isIdempotent() && ProxyFailure.beforeResponse(reason);
        return failure.ofServer
                && (unseen || harmless)
                && outbound.isRepeatable()
                && outcome.attempts <= upstream.settings.retries
                && loop.now() < deadline;
    }

    /** Returns another server for a retry; null if none is available, or the budget is used up. */
    private UpstreamServer another(UpstreamServer lost) {
        if (tried.isEmpty()) {
            tried = Collections.newSetFromMap(new IdentityHashMap<>(4));
        }
        tried.add(lost);
        UpstreamServer next = loopUpstream.choose("", key, tried);
        return next != null && loopUpstream.budget.retry(loop.now()) ? next : null;
    }

    // ---- the response

    private void responded(ClientResponse response) {
        int status = response.status();
        server.latency.add(loop.index(), loop.clock().nanos() - attemptStart);
        if (status > 599) {
            response.close();
            failedAt(server);
            outcome.failure = ProxyFailure.BAD_GATEWAY + ": status " + status;
            respond(ProxyFailure.BAD_GATEWAY);
            return;
        }
        outcome.failure = "";
        if (upstream.settings.failureStatus.contains(status)) {
            failedAt(server);
        } else if (status == 101) {
            server.health.succeeded();
        } else {
            good = true;
        }
        outbound.forget();
        String cookie =
                mayStick(response)
                        ? proxy.rules.sticky().set(sticky, server, request.isSecure())
                        : "";
        Headers fields =
                proxy.rules.response(response.headers(), response.version(), server, host, cookie);
        forward(response, fields);
    }

    /** Returns the body of the response; the exchange ends with it. */
    final BodySource body(ClientResponse response) {
        source = response.body().source(this::bodyFailed, this::bodyClosed);
        return source;
    }

    /** Hands the counts of requests in progress over to a tunnel, which lowers them at its end. */
    final void becomesTunnel() {
        server = null;
        counted = false;
    }

    /** Called when the response breaks off after its headers. */
    final void bodyFailed(Throwable thrown) {
        if (cancelled) {
            return;
        }
        good = false;
        Throwable cause = cause(thrown);
        Reason reason = reason(cause);
        ProxyFailure failure = ProxyFailure.of(reason);
        outcome.failure = failure + ": " + reason;
        if (isOfServer(failure, cause)) {
            failedAt(server);
        }
        if (failure != ProxyFailure.REQUEST) {
            log(server, reason, cause);
        }
    }

    private void respond(ProxyFailure failure) {
        end();
        refuse(failure);
    }

    private void refused(ProxyFailure failure, String why) {
        upstream.refused.increment();
        outcome.failure = failure + ": " + why;
        respond(failure);
    }

    // ---- the end

    /** Cancels the attempt, or closes the body: nobody waits for the response any longer. */
    void cancel() {
        cancelled = true;
        if (call != null) {
            call.cancel(true);
        }
        if (source != null) {
            source.close();
        }
    }

    /** Called when the body is closed, at its end or before: ends the exchange. */
    final void bodyClosed() {
        if (good && !cancelled && server != null) {
            server.health.succeeded();
        }
        end();
    }

    /** Called when the request is over, perhaps with another response than the server's. */
    final void completed() {
        if (call != null && !call.isDone()) {
            cancel();
        } else if (source != null) {
            source.close();
        }
    }

    /** Ends the attempt, but not the exchange. */
    private void leaveServer() {
        if (server != null) {
            server.inProgress.decrementAndGet();
            server = null;
        }
    }

    /** Ends the exchange; does nothing the second time. */
    final void end() {
        leaveServer();
        outbound.forget();
        if (counted) {
            counted = false;
            upstream.inProgress.decrementAndGet();
        }
    }
}
