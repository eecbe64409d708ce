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
import io.sirocco.net.Connection;
import io.sirocco.net.Protocol;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** The content of a response. Immutable. */
public sealed interface Content {
    // No constant of a subtype here: a thread that first creates that subtype, and one that first
    // uses this type, would wait for each other's initialization for ever.

    /** Returns its length in bytes, or -1 if that is not known before it is sent. */
    default long length() {
        return -1;
    }

    /** Returns whether the loop can send it without a thread that writes it. */
    default boolean needsNoThread() {
        return false;
    }

    /** Returns whether the content is known: false until an asynchronous response completes. */
    default boolean known() {
        return true;
    }

    /** Releases the files or the source of content that is not sent. */
    default void release() {}

    /** Bytes in memory. */
    record Bytes(byte[] bytes) implements Content {
        /** No content, with a length of 0. */
        static final Content NONE = new Bytes(new byte[0]);

        public Bytes {
            Objects.requireNonNull(bytes, "bytes");
        }

        @Override
        public long length() {
            return bytes.length;
        }

        @Override
        public boolean needsNoThread() {
            return true;
        }
    }

    /** A body that is written while it is sent. {@code length} is -1 if it is unknown. */
    record Stream(BodyWriter writer, long length) implements Content {
        public Stream {
            Objects.requireNonNull(writer, "writer");
        }
    }

    /**
     * A body whose segments are requested when the client can take more. {@code length} is -1 if it
     * is unknown; {@code atOnce} sends the headers before the first segment.
     */
    record Source(BodySource source, long length, boolean atOnce) implements Content {
        public Source {
            Objects.requireNonNull(source, "source");
        }

        @Override
        public boolean needsNoThread() {
            return true;
        }

        @Override
        public void release() {
            source.close();
        }
    }

    /**
     * Server-sent events, written until the writer returns or the client disconnects. A server that
     * stops interrupts the writer, and the body ends properly.
     */
    record EventStream(BodyWriter writer) implements Content {}

    /** A file, opened when it is sent; its length was the size before, for filters. */
    record File(Path path, long length) implements Content {}

    /** Segments that are available without waiting, with open files. */
    record Pieces(Segments segments) implements Content {
        @Override
        public long length() {
            return segments.length();
        }

        @Override
        public boolean needsNoThread() {
            return true;
        }

        @Override
        public void release() {
            segments.release();
        }
    }

    /** No content: the connection is upgraded to WebSocket, served by one of the two. */
    record Upgrade(
            WebSocketGroup sockets,
            Optional<WebSocketHandler> handler,
            Optional<WebSocketListener> listener)
            implements Content {

        @Override
        public void release() {
            listener.ifPresent(WebSocketListener::onRefused);
        }
    }

    /** No content: the connection is upgraded to another protocol (RFC 9110 7.8). */
    record Switch(String protocol, Function<Connection, Protocol> next) implements Content {
        public Switch {
            Objects.requireNonNull(next, "next");
        }
    }

    /**
     * A response that another thread completes.
     *
     * @param inCall whether it is sent within the call that completes it, if that is on the loop
     */
    record Async(CompletionStage<Response> response, boolean inCall) implements Content {
        public Async {
            Objects.requireNonNull(response, "response");
        }

        @Override
        public boolean known() {
            return false;
        }
    }

    /** A handler that another thread completes. It runs where the handler of the route runs. */
    record AsyncHandler(CompletionStage<? extends Handler> next) implements Content {
        public AsyncHandler {
            Objects.requireNonNull(next, "next");
        }

        @Override
        public boolean known() {
            return false;
        }
    }
}
