// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import io.sirocco.http.Headers;
import io.sirocco.http.client.ClientResponse;
import io.sirocco.web.cache.OriginResponse;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * An exchange whose response goes to a cache, and from there to any number of clients. It may
 * outlive the request that led to it. Loop-confined.
 */
final class CacheExchange extends ProxyExchange {
    private static final Set<String> SHARED = Set.of("GET", "HEAD");

    /** There is no response of a server. Immutable. */
    static final class Refused extends Exception {
        private static final long serialVersionUID = 1;

        final ProxyFailure failure;

        Refused(ProxyFailure failure) {
            super(failure.name(), null, false, false);
            this.failure = failure;
        }
    }

    private final CacheOrigin origin;
    private final InboundRequest request;
    private final boolean background;
    private final CompletableFuture<OriginResponse> result = new CompletableFuture<>();

    CacheExchange(
            CacheOrigin origin,
            Proxy proxy,
            InboundRequest request,
            ProxyOutcome outcome,
            boolean background) {
        super(proxy, request, outcome);
        this.origin = origin;
        this.request = request;
        this.background = background;
    }

    /** Returns the response, which the cache may cancel. */
    CompletableFuture<OriginResponse> response() {
        begin();
        return result;
    }

    @Override
    void begun() {
        result.whenComplete(
                (response, thrown) -> {
                    if (result.isCancelled()) {
                        if (!loop.runInLoop(this::cancel)) {
                            loop.execute(this::cancel);
                        }
                    }
                });
    }

    @Override
    void interim(int status, Headers fields) {
        if (!background) {
            origin.interim(status, fields);
        }
    }

    /**
     * The cookie of one client must not reach another. It goes with a response that is for one
     * client anyway: one that sets cookies, or says that it is private.
     */
    @Override
    boolean mayStick(ClientResponse response) {
        if (!SHARED.contains(request.method)) {
            return true;
        }
        Headers fields = response.headers();
        String control = String.join(",", fields.all("Cache-Control")).toLowerCase(Locale.ROOT);
        return !background
                && (fields.has("Set-Cookie")
                        || HopByHop.lists(control, "private")
                        || HopByHop.lists(control, "no-store"));
    }

    @Override
    void forward(ClientResponse response, Headers fields) {
        result.complete(
                new OriginResponse(
                        response.status(),
                        fields,
                        response.body().length(),
                        body(response),
                        () ->
                                proxy.rules.responseTrailers(
                                        response.headers(), response.trailers())));
    }

    @Override
    void refuse(ProxyFailure failure) {
        result.completeExceptionally(new Refused(failure));
    }

    @Override
    void fail(Throwable thrown) {
        result.completeExceptionally(thrown);
    }

    @Override
    void endWithoutResponse() {
        result.cancel(false);
    }
}
