// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import io.sirocco.http.BodySource;
import io.sirocco.http.body.PushSource;
import io.sirocco.net.ReceivedBytes;
import io.sirocco.net.log.LinkedErrors;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Sends the body that a {@link BodySource} produces: requests a segment, waits until the client can
 * take more, and requests the next one. Loop-confined.
 */
final class BodyPump implements PushSource.Sink {
    static {
        LinkedErrors.link(Throwable.class);
    }

    private final Exchange exchange;
    private final Responder responder;
    private final ResponseMessage response;
    private final BodySource source;
    private final long length;
    private final boolean atOnce; // the headers do not wait for the first segment
    private long sent;
    private boolean begun;
    private boolean closed;

    BodyPump(Exchange exchange, ResponseMessage response, Content.Source content) {
        this.exchange = exchange;
        this.responder = exchange.context.responder;
        this.response = response;
        this.source = content.source();
        this.length = content.length();
        this.atOnce = content.atOnce();
    }

    /** Sends the response of a handler that has returned. */
    void start() {
        exchange.handlerEnded();
        begin();
    }

    /** Sends the response, whose headers usually wait for the first segment of the body. */
    void begin() {
        if (exchange.responded || !exchange.stream.open()) {
            close();
        } else if (exchange.headOnly || response.bodiless()) {
            close();
            exchange.begin(response, length);
            exchange.end(response);
        } else {
            exchange.awaitsResponse = !atOnce;
            exchange.pumpedBy(this);
            if (atOnce) {
                begun = true;
                exchange.begin(response, length);
            }
            if (!atOnce || !(source instanceof PushSource pushes) || !pushes.pushTo(this)) {
                pump();
            }
        }
    }

    /**
     * Called when the client has closed its sending side, and perhaps more. It still gets the rest,
     * but the response is reset if the source produces nothing for the write timeout: nothing else
     * would notice a client that has closed all of its connection.
     */
    void clientGone() {
        long millis = exchange.context.limits.writeMillis();
        if (millis == 0) {
            return;
        }
        long before = sent;
        exchange.context.loop.schedule(
                millis,
                () -> {
                    if (closed || exchange.ended) {
                        return;
                    }
                    if (sent == before && !exchange.stream.congested()) {
                        close();
                        exchange.breakOff();
                    } else {
                        clientGone();
                    }
                });
    }

    // ---- a source that passes its bytes as they arrive

    @Override
    public boolean data(byte[] bytes, int from, int to) {
        return pass(to - from, () -> exchange.stream.data(bytes, from, to));
    }

    @Override
    public boolean data(ReceivedBytes input, int count) {
        return pass(count, () -> exchange.stream.data(input, count));
    }

    private boolean pass(int count, Runnable write) {
        if (closed || !exchange.stream.open()) {
            return false; // a closed connection takes nothing, though its exchange may not know yet
        }
        try {
            sent += count;
            exchange.bytesOut += count;
            write.run();
            if (!exchange.stream.congested()) {
                return true;
            }
            exchange.writable().thenRun(this::resume); // or the client has disconnected
        } catch (Throwable e) {
            fail(e);
        }
        return false;
    }

    private void resume() {
        if (!closed) {
            ((PushSource) source).resume();
        }
    }

    @Override
    public void end() {
        if (closed) {
            return;
        }
        close();
        if (length >= 0 && sent < length) {
            exchange.breakOff();
        } else {
            exchange.end(response);
        }
    }

    @Override
    public void fail(Throwable thrown) {
        if (!closed) {
            failed(thrown);
        }
    }

    // ---- any other source

    private void pump() {
        while (!closed) {
            CompletableFuture<byte[]> next = next();
            if (!next.isDone()) {
                next.whenComplete((piece, thrown) -> goOn(() -> sent(next)));
                return;
            }
            if (!send(next)) {
                return;
            }
        }
    }

    /** Continues on the loop, whichever thread completed the stage. */
    private void goOn(Runnable step) {
        responder.onLoop(exchange, step);
    }

    private void sent(CompletableFuture<byte[]> piece) {
        if (send(piece)) {
            pump();
        }
    }

    private CompletableFuture<byte[]> next() {
        try {
            return source.next().toCompletableFuture();
        } catch (Throwable e) {
            return CompletableFuture.failedFuture(e);
        } finally {
            exchange.context.clearThread();
        }
    }

    /** Sends a segment. Returns whether the next one may be requested at once. */
    private boolean send(CompletableFuture<byte[]> next) {
        if (closed) {
            return false;
        }
        byte[] piece;
        try {
            piece = Objects.requireNonNull(next.join(), "a piece of a body was null");
            check(piece);
        } catch (CompletionException e) {
            return failed(e.getCause());
        } catch (Throwable e) {
            return failed(e);
        }
        if (!exchange.stream.open()) {
            return false; // the exchange is about to be told, and closes the source
        }
        if (!begin(piece)) {
            close();
            return false;
        }
        if (piece.length == 0) {
            close();
            exchange.end(response);
            return false;
        }
        exchange.bytesOut += piece.length;
        exchange.stream.piece(piece);
        CompletableFuture<Void> room = exchange.writable();
        if (room.isDone()) {
            return !room.isCompletedExceptionally();
        }
        room.thenRun(this::pump); // or the client has disconnected, which was reported
        return false;
    }

    private void check(byte[] piece) throws IOException {
        sent += piece.length;
        if (length >= 0 && (sent > length || piece.length == 0 && sent < length)) {
            throw new IOException(
                    "the source of a body of "
                            + length
                            + " bytes "
                            + (sent > length ? "has more" : "ended after " + sent));
        }
    }

    private boolean begin(byte[] piece) {
        if (begun) {
            return !exchange.ended;
        }
        begun = true;
        exchange.awaitsResponse = false;
        return exchange.begin(response, piece.length == 0 ? 0 : length);
    }

    private boolean failed(Throwable thrown) {
        close();
        if (begun && thrown instanceof CancellationException) { // its cause was reported elsewhere
            exchange.breakOff();
            return false;
        }
        ResponseMessage page = exchange.failure(thrown);
        if (begun) {
            exchange.breakOff();
        } else {
            exchange.awaitsResponse = false;
            responder.respond(exchange, page);
        }
        return false;
    }

    /** Closes the source, which is not asked again. */
    void close() {
        if (!closed) {
            closed = true;
            try {
                source.close();
            } catch (Throwable e) {
                exchange.context.failed(exchange.id(), e); // what it has produced is good
            } finally {
                exchange.context.clearThread();
            }
        }
    }
}
