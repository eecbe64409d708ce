// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/** What a response carries. Immutable. */
sealed interface Content {
    /** Nothing, and a length of 0 says so. */
    Content NONE = new Bytes(new byte[0]);

    /** All of it, at hand. */
    record Bytes(byte[] bytes) implements Content {
        public Bytes {
            Objects.requireNonNull(bytes, "bytes");
        }
    }

    /** Written while it is sent; {@code length} is -1 when nobody knows it before. */
    record Stream(BodyWriter writer, long length) implements Content {
        public Stream {
            Objects.requireNonNull(writer, "writer");
        }
    }

    /**
     * Written for as long as both sides like: a server that stops interrupts it, and it ends in
     * good order.
     */
    record Endless(BodyWriter writer) implements Content {}

    /** A file, opened when it is sent. */
    record File(Path path, long length) implements Content {}

    /** All of it at hand, the files among it open: good for one request. */
    final class Pieces implements Content {
        private final List<Piece> all;
        private final AtomicBoolean taken = new AtomicBoolean();

        Pieces(List<Piece> all) {
            this.all = List.copyOf(all);
        }

        long length() {
            return all.stream().mapToLong(Piece::length).sum();
        }

        /** Hands them over to who sends them, or releases them. */
        List<Piece> take() {
            if (!taken.compareAndSet(false, true)) {
                throw new IllegalStateException(
                        "A response of files is good for one request: make one for each.");
            }
            return all;
        }

        void release() {
            for (Piece piece : take()) {
                if (piece instanceof Piece.Region region) {
                    region.file().release();
                }
            }
        }
    }

    /** No content: the connection speaks WebSocket from then on, with one of the two. */
    record Upgrade(
            WebSockets sockets,
            Optional<Conversation> conversation,
            Optional<WebSocketListener> listener)
            implements Content {}

    /** Not known yet: another response, which somebody else completes. */
    record Later(CompletionStage<Response> response) implements Content {
        public Later {
            Objects.requireNonNull(response, "response");
        }
    }

    /** Not known yet: a handler, which somebody else names; it is called as the route's own is. */
    record After(CompletionStage<? extends Handler> next) implements Content {
        public After {
            Objects.requireNonNull(next, "next");
        }
    }
}
