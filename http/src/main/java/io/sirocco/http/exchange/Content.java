// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import io.sirocco.http.BodySource;
import io.sirocco.http.BodyWriter;
import io.sirocco.http.Handler;
import io.sirocco.http.Response;
import io.sirocco.http.WebSocketHandler;
import io.sirocco.http.WebSocketListener;
import io.sirocco.http.body.Segments;
import io.sirocco.http.websocket.WebSocketGroup;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** What a response carries. Immutable. */
public sealed interface Content {
    /** Nothing, and a length of 0 says so. */
    Content NONE = new Bytes(new byte[0]);

    /** Returns its length in bytes, or -1 if that is not known before it is sent. */
    default long length() {
        return -1;
    }

    /** Returns whether it can be sent without a thread that writes it. */
    default boolean atHand() {
        return false;
    }

    /** Returns whether it is known yet what will be sent. */
    default boolean known() {
        return true;
    }

    /** Releases what it holds, since it is not sent. */
    default void release() {}

    /** All of it, at hand. */
    record Bytes(byte[] bytes) implements Content {
        public Bytes {
            Objects.requireNonNull(bytes, "bytes");
        }

        @Override
        public long length() {
            return bytes.length;
        }

        @Override
        public boolean atHand() {
            return true;
        }
    }

    /** Written while it is sent; {@code length} is -1 when nobody knows it before. */
    record Stream(BodyWriter writer, long length) implements Content {
        public Stream {
            Objects.requireNonNull(writer, "writer");
        }
    }

    /** Pulled piece by piece as the client takes it; {@code length} is -1 when it is unknown. */
    record Source(BodySource source, long length) implements Content {
        public Source {
            Objects.requireNonNull(source, "source");
        }

        @Override
        public boolean atHand() {
            return true;
        }

        @Override
        public void release() {
            source.close();
        }
    }

    /**
     * Written for as long as both sides like: a server that stops interrupts it, and it ends in
     * good order.
     */
    record Endless(BodyWriter writer) implements Content {}

    /** A file, opened when it is sent. */
    record File(Path path, long length) implements Content {}

    /** All of it at hand, the files among it open. */
    record Pieces(Segments segments) implements Content {
        @Override
        public long length() {
            return segments.length();
        }

        @Override
        public boolean atHand() {
            return true;
        }

        @Override
        public void release() {
            segments.release();
        }
    }

    /** No content: the connection speaks WebSocket from then on, with one of the two. */
    record Upgrade(
            WebSocketGroup sockets,
            Optional<WebSocketHandler> conversation,
            Optional<WebSocketListener> listener)
            implements Content {}

    /** Not known yet: another response, which somebody else completes. */
    record Later(CompletionStage<Response> response) implements Content {
        public Later {
            Objects.requireNonNull(response, "response");
        }

        @Override
        public boolean known() {
            return false;
        }
    }

    /** Not known yet: a handler, which somebody else names; it is called as the route's own is. */
    record After(CompletionStage<? extends Handler> next) implements Content {
        public After {
            Objects.requireNonNull(next, "next");
        }

        @Override
        public boolean known() {
            return false;
        }
    }
}
