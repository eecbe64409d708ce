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

    /** Pulled piece by piece as the client takes it; {@code length} is -1 when it is unknown. */
    record Source(BodySource source, long length) implements Content {
        public Source {
            Objects.requireNonNull(source, "source");
        }
    }

    /**
     * Written for as long as both sides like: a server that stops interrupts it, and it ends in
     * good order.
     */
    record Endless(BodyWriter writer) implements Content {}

    /** A file, opened when it is sent. */
    record File(Path path, long length) implements Content {}

    /**
     * All of it at hand, the files among it open: they are released with the first response.
     * Further ones retain them anew, which goes well for as long as somebody else has them open.
     */
    final class Pieces implements Content {
        private final List<BodySegment> all;
        private final AtomicBoolean taken = new AtomicBoolean();

        Pieces(List<BodySegment> all) {
            this.all = List.copyOf(all);
        }

        long length() {
            return all.stream().mapToLong(BodySegment::length).sum();
        }

        /**
         * Hands them over to the caller, who sends or releases them.
         *
         * @throws IllegalStateException when this is not the first time, and a file is closed
         */
        List<BodySegment> take() {
            if (taken.compareAndSet(false, true)) {
                return all;
            }
            for (int i = 0; i < all.size(); i++) {
                if (all.get(i) instanceof BodySegment.Region region && !region.file().retain()) {
                    release(all.subList(0, i));
                    throw new IllegalStateException(
                            "The file of a response that is sent again is closed: keep it open, or"
                                    + " create a response for each request.");
                }
            }
            return all;
        }

        /** Nothing of it will be sent: releases what was retained for it, unless that was done. */
        void release() {
            if (taken.compareAndSet(false, true)) {
                release(all);
            }
        }

        private static void release(List<BodySegment> pieces) {
            for (BodySegment piece : pieces) {
                if (piece instanceof BodySegment.Region region) {
                    region.file().release();
                }
            }
        }
    }

    /** No content: the connection speaks WebSocket from then on, with one of the two. */
    record Upgrade(
            WebSockets sockets,
            Optional<WebSocketHandler> conversation,
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
