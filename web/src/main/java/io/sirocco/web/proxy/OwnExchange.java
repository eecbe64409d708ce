// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import io.sirocco.http.BodySource;
import io.sirocco.http.Headers;
import io.sirocco.http.client.ClientResponse;
import io.sirocco.net.Loop;
import io.sirocco.web.proxy.ProxyOptions.Forwarding;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

/** A request of this program, whose response it gets as a whole. Loop-confined. */
final class OwnExchange extends ProxyExchange {
    private final UpstreamRequest request;
    private final CompletableFuture<UpstreamResponse> result;
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();

    private OwnExchange(
            Upstream upstream,
            Loop loop,
            UpstreamRequest request,
            CompletableFuture<UpstreamResponse> result) {
        super(
                Proxy.to(upstream, options -> options.forwarded(Forwarding.NONE)),
                InboundRequest.of(request, loop),
                new ProxyOutcome(upstream.name()));
        this.request = request;
        this.result = result;
    }

    /** Sends a request on a loop. Any thread. */
    static CompletableFuture<UpstreamResponse> send(
            Upstream upstream, Loop loop, UpstreamRequest request) {
        var result = new CompletableFuture<UpstreamResponse>();
        try {
            loop.execute(
                    () -> {
                        try {
                            new OwnExchange(upstream, loop, request, result).begin();
                        } catch (RuntimeException e) {
                            result.completeExceptionally(e);
                        }
                    });
        } catch (RejectedExecutionException e) {
            result.completeExceptionally(new IOException("the server has stopped", e));
        }
        return result;
    }

    @Override
    Duration totalTimeout() {
        Duration longest = super.totalTimeout();
        return request.timeout().compareTo(longest) < 0 ? request.timeout() : longest;
    }

    @Override
    void begun() {
        result.whenComplete(
                (response, thrown) -> {
                    if (result.isCancelled() && !loop.runInLoop(this::cancel)) {
                        loop.execute(this::cancel);
                    }
                });
    }

    @Override
    void interim(int status, Headers fields) {}

    @Override
    boolean mayStick(ClientResponse response) {
        return false;
    }

    @Override
    void forward(ClientResponse response, Headers fields) {
        receive(response.status(), fields, body(response));
    }

    private void receive(int status, Headers fields, BodySource source) {
        try {
            CompletableFuture<byte[]> next = source.next().toCompletableFuture();
            while (next.isDone()) {
                if (received(status, fields, next.join(), source)) {
                    return;
                }
                next = source.next().toCompletableFuture();
            }
            next.whenComplete(
                    (piece, thrown) -> {
                        if (thrown != null) {
                            broken(source, thrown);
                        } else if (!received(status, fields, piece, source)) {
                            receive(status, fields, source);
                        }
                    });
        } catch (Exception e) {
            broken(source, e);
        }
    }

    /** Returns whether the body has ended. */
    private boolean received(int status, Headers fields, byte[] piece, BodySource source) {
        received.writeBytes(piece);
        if (piece.length == 0) {
            source.close();
            result.complete(new UpstreamResponse(status, fields, received.toByteArray()));
            return true;
        }
        if (received.size() > request.maxBodyBytes()) {
            source.close();
            result.completeExceptionally(
                    new IOException(
                            "the response of the upstream "
                                    + upstream.name()
                                    + " has more than "
                                    + request.maxBodyBytes()
                                    + " bytes"));
            return true;
        }
        return false;
    }

    private void broken(BodySource source, Throwable thrown) {
        source.close();
        fail(new IOException(why(), thrown));
    }

    private String why() {
        return "the upstream " + upstream.name() + " did not respond: " + outcome.failure;
    }

    @Override
    void refuse(ProxyFailure failure) {
        result.completeExceptionally(new IOException(why()));
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
