// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import io.sirocco.http.BodySource;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The body of a server's response on its way to the client. It tells its exchange how it ends, and
 * has the server reset the connection of a client that has got a part of it. Loop-confined.
 */
final class ResponseBodySource implements BodySource {
    private final BodySource body;
    private final ProxyExchange exchange;
    private boolean closed;

    ResponseBodySource(BodySource body, ProxyExchange exchange) {
        this.body = body;
        this.exchange = exchange;
    }

    @Override
    public CompletionStage<byte[]> next() throws Exception {
        CompletableFuture<byte[]> next = body.next().toCompletableFuture();
        if (next.isDone() && !next.isCompletedExceptionally()) {
            return next;
        }
        return next.handle(
                (piece, thrown) -> {
                    if (thrown != null) {
                        exchange.bodyFailed(thrown);
                        throw new CancellationException("the server's response broke off");
                    }
                    return piece;
                });
    }

    /** May be called more than once. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            body.close();
            exchange.bodyClosed();
        }
    }
}
