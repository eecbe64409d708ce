// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import io.sirocco.http.Headers;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.web.cache.Origin;
import io.sirocco.web.cache.OriginRequest;
import io.sirocco.web.cache.OriginResponse;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * The origin of a cache, for one request of a client: forwards what the cache asks for, with the
 * address, scheme and host of this client. The cache may use it after that request. Confined to the
 * loop of the request.
 */
final class CacheOrigin implements Origin {
    private final Proxy proxy;
    private final Request client;
    private final InboundRequest request;
    private final ProxyOutcome outcome;
    private boolean watched;
    private boolean over; // the client's request is

    CacheOrigin(Proxy proxy, Request client, InboundRequest request, ProxyOutcome outcome) {
        this.proxy = proxy;
        this.client = client;
        this.request = request;
        this.outcome = outcome;
    }

    @Override
    public CompletionStage<OriginResponse> fetch(OriginRequest sent) {
        boolean background = sent.background();
        if (!background && !watched) {
            watched = true;
            client.onComplete(() -> over = true);
        }
        ProxyOutcome told = background ? new ProxyOutcome(proxy.upstream.name()) : outcome;
        return new CacheExchange(this, proxy, request.sentBy(sent), told, background).response();
    }

    @Override
    public Set<String> clientHeaders() {
        return proxy.rules.clientHeaders();
    }

    /** Passes an interim response on, while the client waits for the final one. */
    void interim(int status, Headers fields) {
        if (!over) {
            client.interim(status, fields);
        }
    }

    @Override
    public Optional<Response> failureResponse(Throwable failure) {
        if (failure instanceof CacheExchange.Refused refused) {
            if (outcome.failure.isEmpty()) { // it has waited for the fetch of another request
                outcome.failure = refused.failure.name();
            }
            return Optional.of(proxy.page(refused.failure));
        }
        return Optional.empty();
    }
}
