// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.client;

import io.sirocco.http.BodySource;
import io.sirocco.http.Headers;
import io.sirocco.http.client.HttpClientException.Reason;
import io.sirocco.net.Connection;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;

/**
 * Sends the body of one request: asks its source for a piece, waits until the server takes more,
 * and asks again. Loop-confined.
 */
final class RequestBodySender {
    private final ClientConnection to;
    private final Connection connection;
    private final ClientRequest request;
    private final boolean chunked;
    private BodySource source; // null before it is begun, and for bytes in memory
    private long sent;
    private boolean asking;
    private boolean over; // all was sent, or it was stopped

    RequestBodySender(ClientConnection to, Connection connection, ClientRequest request) {
        this.to = to;
        this.connection = connection;
        this.request = request;
        this.chunked = RequestEncoder.chunked(request);
    }

    /** Returns whether it waits for the source, and not for the server. */
    boolean waitsForSource() {
        return asking && !over;
    }

    void begin() {
        ClientRequest.Content content = request.content;
        if (content.bytes() != null) {
            if (content.length() > 0) {
                RequestEncoder.piece(connection, content.bytes(), chunked);
            }
            end();
            return;
        }
        try {
            source =
                    content.writer() != null
                            ? new WriterSource(connection.loop(), content.writer())
                            : Objects.requireNonNull(content.source().get(), "the source is null");
        } catch (Throwable e) {
            fail(Reason.REQUEST_BODY_FAILED, "the source of its body failed: " + e, e);
            return;
        }
        goOn();
    }

    /** Called when the server has taken the output. */
    void drained() {
        if (source != null && !asking) {
            goOn();
        }
    }

    private void goOn() {
        while (!over && !connection.isCongested()) {
            asking = true;
            CompletableFuture<byte[]> next = next();
            if (!next.isDone()) {
                next.whenComplete((piece, thrown) -> later(next));
                return;
            }
            if (!send(next)) {
                return;
            }
        }
    }

    private CompletableFuture<byte[]> next() {
        try {
            return source.next().toCompletableFuture();
        } catch (Throwable e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Continues on the loop, from whatever thread has completed a stage. */
    private void later(CompletableFuture<byte[]> next) {
        try {
            connection
                    .loop()
                    .execute(
                            () -> {
                                if (!over && send(next)) {
                                    goOn();
                                }
                            });
        } catch (RejectedExecutionException e) {
            // the loop has ended, and the connection with it
        }
    }

    /** Sends a piece; returns whether the next one may be asked for. */
    private boolean send(CompletableFuture<byte[]> next) {
        asking = false;
        byte[] piece;
        try {
            piece = Objects.requireNonNull(next.join(), "a piece of the body was null");
        } catch (Throwable e) {
            Throwable cause = e instanceof CompletionException ? e.getCause() : e;
            fail(Reason.REQUEST_BODY_FAILED, "the source of its body failed: " + cause, cause);
            return false;
        }
        sent += piece.length;
        long length = request.content.length();
        if (length >= 0 && (sent > length || piece.length == 0 && sent < length)) {
            String what = sent > length ? "has more" : "ended after " + sent;
            fail(
                    Reason.REQUEST_BODY_LENGTH,
                    "the source of a body of " + length + " bytes " + what,
                    null);
            return false;
        }
        if (piece.length == 0) {
            end();
            return false;
        }
        RequestEncoder.piece(connection, piece, chunked);
        to.progress();
        return true;
    }

    private void end() {
        if (chunked) {
            try {
                Headers trailers =
                        request.trailers == null ? Headers.none() : request.trailers.get();
                RequestEncoder.lastChunk(connection, trailers);
            } catch (Throwable e) {
                fail(Reason.REQUEST_BODY_FAILED, "its trailers failed: " + e, e);
                return;
            }
        }
        stop();
        to.requestSent();
    }

    private void fail(Reason reason, String why, Throwable cause) {
        stop();
        to.failed(reason, why, cause);
    }

    /** Stops sending, and closes the source. */
    void stop() {
        if (!over) {
            over = true;
            ClientRequest.Content content = request.content;
            boolean unused = source == null && content.source() != null && !content.again();
            if (source != null || unused) {
                try {
                    (unused ? content.source().get() : source).close();
                } catch (Throwable e) {
                    // it is over in any case
                }
            }
        }
    }
}
