// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.http.BadRequest;
import io.sirocco.http.Body;
import io.sirocco.http.Headers;
import io.sirocco.http.Request;
import io.sirocco.http.body.RequestBody;
import io.sirocco.http.loop.LoopTasks;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The {@link Body} of a {@link RequestMessage}. Used by one thread at a time. */
public final class MessageBody implements Body {

    private final Exchange exchange;
    private final Request request;
    private Reader reader;
    private byte[] collected; // once all of it was read at once
    private boolean collectedTaken; // by next()

    MessageBody(Exchange exchange, Request request) {
        this.exchange = exchange;
        this.request = request;
    }

    @Override
    public OptionalLong length() {
        if (exchange.body == null) {
            return OptionalLong.of(0);
        }
        long stated = exchange.body.length();
        return stated < 0 ? OptionalLong.empty() : OptionalLong.of(stated);
    }

    @Override
    public byte[] bytes(int limit) throws IOException {
        if (collected == null) {
            collected = collect(limit);
        } else if (collected.length > limit) {
            throw tooLarge(limit);
        }
        return collected;
    }

    private byte[] collect(int most) throws IOException {
        var in = (Reader) inputStream();
        in.keeps = true;
        long stated = length().orElse(-1);
        if (stated > most) {
            throw tooLarge(most);
        }
        if (stated >= 0) {
            return in.takeAll((int) stated);
        }
        var all = new ByteArrayOutputStream();
        byte[] piece = new byte[8192];
        for (int n; (n = in.read(piece)) >= 0; ) {
            if (all.size() + n > most) {
                throw tooLarge(most);
            }
            all.write(piece, 0, n);
        }
        return all.toByteArray();
    }

    private static BadRequest tooLarge(int most) {
        return new BadRequest(413, "The body is longer than " + most + " bytes.");
    }

    @Override
    public String text() throws IOException {
        return new String(
                bytes(), request.contentType().map(type -> type.charset(UTF_8)).orElse(UTF_8));
    }

    @Override
    public InputStream inputStream() {
        if (collected != null) {
            return new ByteArrayInputStream(collected);
        }
        if (reader == null) {
            reader = new Reader();
        } else if (reader.begun && !reader.failed) {
            throw new IllegalStateException(
                    "The body has already been read as a stream: read it once, or with bytes() or"
                            + " text(), which keep it.");
        }
        return reader;
    }

    @Override
    public CompletionStage<byte[]> next() {
        if (collected != null && !collectedTaken) { // by a filter
            collectedTaken = true;
            return CompletableFuture.completedFuture(collected);
        }
        return exchange.body == null || collected != null
                ? CompletableFuture.completedFuture(new byte[0])
                : exchange.context.call(() -> exchange.takeOfBody(false));
    }

    @Override
    public Headers trailers() {
        RequestBody body = exchange.body;
        return body == null
                ? Headers.none()
                : exchange.context
                        .call(() -> CompletableFuture.completedFuture(body.trailers()))
                        .join();
    }

    /** Returns the next bytes of the body, or none at its end. Blocks. */
    private byte[] await(boolean keeps) throws IOException {
        if (exchange.body == null) {
            return new byte[0];
        }
        return LoopTasks.join(exchange.context.call(() -> exchange.takeOfBody(keeps)));
    }

    private final class Reader extends InputStream {
        private byte[] piece = {};
        private int at;
        private boolean ended;
        private boolean keeps; // what comes is collected
        private boolean begun;
        private boolean failed; // and will again

        private boolean fill() throws IOException {
            if (at < piece.length) {
                return true;
            }
            begun = true;
            if (!ended) {
                failed = true;
                piece = await(keeps);
                failed = false;
                at = 0;
                ended = piece.length == 0;
            }
            return !ended;
        }

        /** Returns the whole body, without a copy if it arrived in one piece. */
        byte[] takeAll(int length) throws IOException {
            if (length > 0 && at == 0 && fill() && piece.length == length) {
                byte[] whole = piece;
                piece = new byte[0];
                ended = true;
                return whole;
            }
            return readNBytes(length); // grows with what comes, not with what is promised
        }

        @Override
        public int read() throws IOException {
            return fill() ? piece[at++] & 0xff : -1;
        }

        @Override
        public int read(byte[] into, int from, int length) throws IOException {
            Objects.checkFromIndexSize(from, length, into.length);
            if (length == 0) {
                return 0;
            }
            if (!fill()) {
                return -1;
            }
            int n = Math.min(length, piece.length - at);
            System.arraycopy(piece, at, into, from, n);
            at += n;
            return n;
        }

        @Override
        public int available() {
            return piece.length - at;
        }
    }
}
