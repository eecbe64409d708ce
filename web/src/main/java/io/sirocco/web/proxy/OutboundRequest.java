// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import io.sirocco.http.Body;
import io.sirocco.http.Headers;
import io.sirocco.http.client.ClientRequest;
import io.sirocco.net.ProxyProtocol;
import java.time.Duration;
import java.util.Set;

/**
 * An {@link InboundRequest} as a {@link Proxy} sends it to a server, and perhaps to another one
 * after that. Loop-confined, but for the constructor, which reads the request on the thread of the
 * handler.
 */
final class OutboundRequest {
    /** RFC 9110 9.2.2. */
    private static final Set<String> IDEMPOTENT =
            Set.of("GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY");

    private final InboundRequest inbound;
    private final Proxy proxy;
    private final String target;
    private final Headers headers; // without Host
    private final boolean idempotent;
    private final boolean expects; // 100 (Continue)
    private final long length; // of the body; -1 if unknown
    private final RequestBodySource body; // null for none
    private final Body trailers; // null for none

    OutboundRequest(InboundRequest inbound, Proxy proxy) {
        this.inbound = inbound;
        this.proxy = proxy;
        this.target = proxy.rules.target(inbound);
        this.headers = proxy.rules.request(inbound);
        this.idempotent = IDEMPOTENT.contains(inbound.method);
        this.length = inbound.length();
        this.body =
                length == 0
                        ? null
                        : new RequestBodySource(
                                inbound.source(), idempotent, inbound.loop.memory());
        this.trailers = length < 0 ? inbound.body : null;
        this.expects = body != null && inbound.headers.has("Expect");
    }

    /** Returns whether a server may receive it twice (RFC 9110 9.2.2). */
    boolean isIdempotent() {
        return idempotent;
    }

    /** Returns whether what was sent of its body can be sent again. */
    boolean isRepeatable() {
        return body == null || body.isRepeatable();
    }

    /** Drops what was kept of the body: a server has responded, or nobody waits for that. */
    void forget() {
        if (body != null) {
            body.forget();
        }
    }

    /**
     * Returns the message to a server.
     *
     * @param host the value of {@code Host}
     */
    ClientRequest message(UpstreamServer to, String host, Duration timeout) {
        ClientRequest message =
                ClientRequest.of(inbound.method, to.origin, target)
                        .host(host)
                        .headers(headers)
                        .timeout(timeout);
        ProxyProtocol announced = proxy.upstream.settings.proxyProtocol;
        if (announced != null) {
            message = message.proxyHeader(proxyHeader(announced));
        }
        if (body != null) {
            message = message.body(length, body.open());
            if (trailers != null) {
                message =
                        message.trailers(
                                () ->
                                        proxy.rules.requestTrailers(
                                                inbound.headers, trailers.trailers()));
            }
            if (expects) {
                message = message.expectContinue();
            }
        }
        return message;
    }

    private byte[] proxyHeader(ProxyProtocol version) {
        return inbound.isOwn()
                ? version.local()
                : version.header(inbound.remoteAddress, inbound.localAddress);
    }
}
