// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Handler;
import io.sirocco.http.Headers;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Route;
import io.sirocco.http.Status;
import io.sirocco.net.Loop;
import io.sirocco.web.cache.ResponseCache;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A handler that forwards requests to an {@link Upstream}: a reverse proxy, which RFC 9110 3.7
 * calls a gateway.
 *
 * <pre>{@code
 * Handler proxy = Proxy.to(shop, options -> options.strip("/shop").host(Proxy.HOST_OF_SERVER));
 * routes.any("/shop/*", proxy);
 * }</pre>
 *
 * <p>Bodies stream both ways without a thread and with back-pressure. It starts before the body,
 * runs {@link ExecutionMode#INLINE} on routes without filters, and has the timeouts of the upstream
 * instead of the handler timeout. The limit and the timeout of request bodies are those of the
 * route. Any thread.
 */
public final class Proxy implements Handler {
    /** Sends the {@code Host} that the client has sent. The default. */
    public static final String HOST_OF_CLIENT = "client";

    /** Sends the authority of the server's URL as {@code Host}. */
    public static final String HOST_OF_SERVER = "server";

    /** The attribute of a request that holds its {@link ProxyOutcome}. */
    public static final String OUTCOME = "io.sirocco.proxy";

    /** How often a request may pass through proxies of this name. */
    private static final int MAX_PASSES = 10;

    final Upstream upstream;
    final MessageHeaders rules;
    final ProxyOptions options;

    private Proxy(Upstream upstream, ProxyOptions options) {
        this.upstream = upstream;
        this.options = options;
        this.rules = new MessageHeaders(options, upstream.settings.stickyCookie);
    }

    /** Forwards to an upstream. */
    public static Proxy to(Upstream upstream) {
        return to(upstream, options -> {});
    }

    /**
     * Forwards to an upstream.
     *
     * @throws IllegalArgumentException if an option is invalid
     */
    public static Proxy to(Upstream upstream, Consumer<ProxyOptions> configure) {
        var options = new ProxyOptions();
        configure.accept(options);
        return new Proxy(upstream, options);
    }

    @Override
    public void configure(Route route) {
        route.executionMode(ExecutionMode.INLINE).startBeforeBody().handlerTimeout(Duration.ZERO);
    }

    @Override
    public Response handle(Request request) {
        if (!request.target().startsWith("/")) { // OPTIONS * and CONNECT, of a filter
            return page(400, "The proxy forwards paths only.");
        }
        InboundRequest inbound = InboundRequest.of(request);
        if (options.rewrite == null) {
            return respond(request, inbound, options.cache);
        }
        if (refuses(inbound)) {
            return dotSegments();
        }
        return respond(request, inbound.withTarget(options.rewrite.apply(request)), options.cache);
    }

    /**
     * Forwards a request with another target and other headers, as a filter or a script has chosen
     * them. The options apply to these. A {@linkplain ProxyOptions#cache cache} is bypassed: its
     * key is the URL that the client requested.
     *
     * @param target a path, and perhaps a query
     * @param headers those of the client, including those of its connection, as they were left; a
     *     {@code Host} that is not the client's is sent to the server
     */
    public Response forward(Request request, String target, Headers headers) {
        return respond(request, InboundRequest.of(request, target, headers), null);
    }

    private Response respond(Request request, InboundRequest inbound, ResponseCache cache) {
        return rules.withVariables(
                exchange(request, rules.withVariables(inbound, request), cache), request);
    }

    private Response exchange(Request request, InboundRequest inbound, ResponseCache cache) {
        if (refuses(inbound)) {
            return dotSegments();
        }
        if (MessageHeaders.passes(inbound.list("Via")) > MAX_PASSES) {
            outcome(request).failure = ProxyFailure.LOOP.name();
            return page(508, "The request has passed through this server too often.");
        }
        if (isLastHop(inbound)) {
            return inbound.method.equals("OPTIONS")
                    ? Response.empty(204)
                            .header("Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")
                    : page(405, "Method Not Allowed").header("Allow", "OPTIONS");
        }
        String protocol = rules.upgrade(inbound);
        ProxyOutcome outcome = outcome(request);
        if (cache != null && protocol.isEmpty()) {
            return cache.respond(request, new CacheOrigin(this, request, inbound, outcome));
        }
        var exchange = new DirectExchange(this, request, inbound, protocol, outcome);
        Loop loop = request.loop();
        if (loop.inLoop()) {
            return exchange.response();
        }
        var response = new CompletableFuture<Response>();
        loop.execute(() -> response.complete(exchange.response()));
        return Response.async(response);
    }

    private boolean refuses(InboundRequest inbound) {
        return !options.dotSegments && DotSegments.in(inbound.path);
    }

    private Response dotSegments() {
        return page(400, "The path must not contain the segments . and ..");
    }

    private ProxyOutcome outcome(Request request) {
        var outcome = new ProxyOutcome(upstream.name());
        request.attribute(OUTCOME, outcome);
        return outcome;
    }

    /** RFC 9110 7.6.2. */
    private static boolean isLastHop(InboundRequest request) {
        return (request.method.equals("OPTIONS") || request.method.equals("TRACE"))
                && request.list("Max-Forwards").equals("0");
    }

    /** Returns a page that the server did not send. */
    private Response page(int status, String message) {
        return options.errorPages.page(status, message).status(status);
    }

    /** Returns the page of a failure. */
    Response page(ProxyFailure failure) {
        Response page = page(failure.status, Status.reason(failure.status));
        return failure == ProxyFailure.BUSY ? page.setHeader("Retry-After", "1") : page;
    }
}
