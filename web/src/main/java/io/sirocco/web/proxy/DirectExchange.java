// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import io.sirocco.http.BodySource;
import io.sirocco.http.Headers;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.client.ClientRequest;
import io.sirocco.http.client.ClientResponse;
import java.util.concurrent.CompletableFuture;

/** An exchange whose response goes straight to the client of the request. Loop-confined. */
final class DirectExchange extends ProxyExchange {
    /** The body of a response to HEAD, or with status 304, whose length is that of another one. */
    private static final BodySource NOTHING = () -> CompletableFuture.completedFuture(new byte[0]);

    private final Request client;
    private final String protocol; // of an upgrade; empty for none
    private final CompletableFuture<Response> result = new CompletableFuture<>();
    private Tunnel tunnel; // null unless the server has upgraded

    DirectExchange(
            Proxy proxy,
            Request client,
            InboundRequest request,
            String protocol,
            ProxyOutcome outcome) {
        super(proxy, request, outcome);
        this.client = client;
        this.protocol = protocol;
    }

    /** Returns the response, which is usually still to come. */
    Response response() {
        begin();
        return Response.forwarded(result);
    }

    @Override
    void begun() {
        client.onDisconnect(this::disconnected);
        client.onComplete(this::completed);
    }

    /** The client has disconnected, or has closed its sending side and may still read. */
    private void disconnected() {
        if (!client.isConnected() || proxy.options.abortOnClose) {
            cancel();
        }
    }

    @Override
    ClientRequest upgrading(ClientRequest message, UpstreamServer to) {
        if (protocol.isEmpty()) {
            return message;
        }
        return message.upgrade(
                protocol,
                connection -> {
                    tunnel = new Tunnel(connection, upstream, to);
                    return tunnel;
                });
    }

    @Override
    void interim(int status, Headers fields) {
        client.interim(status, fields);
    }

    @Override
    boolean mayStick(ClientResponse response) {
        return true;
    }

    @Override
    void forward(ClientResponse response, Headers fields) {
        if (response.status() == 101) {
            becomesTunnel();
            tunnel.awaitClient();
            result.complete(
                    Response.upgrade(protocol, tunnel::join).headers(fields.without("Trailer")));
            return;
        }
        long length = response.body().length().orElse(-1L);
        byte[] arrived = length < 0 ? null : response.body().takeArrived().orElse(null);
        if (arrived != null) {
            bodyClosed();
            result.complete(
                    arrived.length == length
                            ? Response.forwarded(response.status(), fields, arrived)
                            : Response.forwarded(response.status(), fields, length, NOTHING));
            return;
        }
        Response forwarded = Response.forwarded(response.status(), fields, length, body(response));
        result.complete(
                length < 0 && response.status() != 205
                        ? forwarded.trailers(
                                () ->
                                        proxy.rules.responseTrailers(
                                                response.headers(), response.trailers()))
                        : forwarded);
    }

    @Override
    void refuse(ProxyFailure failure) {
        result.complete(proxy.page(failure));
    }

    @Override
    void fail(Throwable thrown) {
        if (client.isConnected()) {
            result.completeExceptionally(thrown);
        } else {
            endWithoutResponse(); // its body ended before disconnected() was called
        }
    }

    @Override
    void endWithoutResponse() {
        result.cancel(false); // the server ends the exchange, whose client may still read
    }

    @Override
    void cancel() {
        if (tunnel != null) {
            tunnel.abort();
        }
        super.cancel();
    }
}
