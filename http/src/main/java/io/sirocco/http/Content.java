// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/** The content of a response. Immutable. */
sealed interface Content {
    /** No content, with a length of 0. */
    Content NONE = new Bytes(new byte[0]);

    /** Bytes in memory. */
    record Bytes(byte[] bytes) implements Content {
        public Bytes {
            Objects.requireNonNull(bytes, "bytes");
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
     * is unknown.
     */
    record Source(BodySource source, long length) implements Content {
        public Source {
            Objects.requireNonNull(source, "source");
        }
    }

    /**
     * A body that is written for as long as both sides like. A server that stops interrupts the
     * writer, and the body ends properly.
     */
    record Endless(BodyWriter writer) implements Content {}

    /** A file, opened when it is sent. */
    record File(Path path, long length) implements Content {}

    /**
     * Segments that are available without waiting, with open files. The first response releases the
     * files; further ones retain them anew, which succeeds while another user keeps them open.
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
         * Passes the segments to the caller, who sends or releases them.
         *
         * @throws IllegalStateException if this is not the first call, and a file is closed
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

        /** Releases the files of segments that will not be sent, unless that was already done. */
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

    /** No content: the connection is upgraded to WebSocket, served by one of the two. */
    record Upgrade(
            WebSockets sockets,
            Optional<WebSocketHandler> conversation,
            Optional<WebSocketListener> listener)
            implements Content {}

    /** A response that another thread completes. */
    record Later(CompletionStage<Response> response) implements Content {
        public Later {
            Objects.requireNonNull(response, "response");
        }
    }

    /** A handler that another thread completes. It runs where the handler of the route runs. */
    record After(CompletionStage<? extends Handler> next) implements Content {
        public After {
            Objects.requireNonNull(next, "next");
        }
    }
}
