// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import io.sirocco.http.BodySource;
import io.sirocco.net.MemoryBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The body of a request on its way to a server, and to another one if that fails: the beginning of
 * the body is kept while all of what was sent may be sent again, and while less than half of the
 * loop's memory is in use: a retry is worth less than the request of another client. Loop-confined.
 */
final class RequestBodySource {
    /** Bytes that are kept. */
    private static final int KEPT = 64 << 10;

    private final BodySource body;
    private final MemoryBudget memory;
    private List<byte[]> kept; // null when they cannot be sent again
    private int size; // of what is kept, which is counted in the memory
    private boolean begun;
    private CompletableFuture<byte[]> pending; // null while nothing is being received

    /**
     * @param repeatable whether the method allows that the body is sent again
     */
    RequestBodySource(BodySource body, boolean repeatable, MemoryBudget memory) {
        this.body = body;
        this.memory = memory;
        this.kept = repeatable ? new ArrayList<>(2) : null;
    }

    /** Returns whether all of what was taken can be sent again. */
    boolean isRepeatable() {
        return !begun || kept != null;
    }

    /** Nothing will be sent again. Does nothing the second time. */
    void forget() {
        kept = null;
        memory.release(size);
        size = 0;
    }

    /** Returns the body from its beginning on. */
    BodySource open() {
        return new Attempt();
    }

    private CompletionStage<byte[]> take() throws Exception {
        begun = true;
        if (pending != null) {
            return pending; // an attempt before this one has asked for it
        }
        if (kept == null) {
            return body.next();
        }
        CompletableFuture<byte[]> piece = body.next().toCompletableFuture().thenApply(this::keep);
        pending = piece.isDone() ? null : piece;
        return piece;
    }

    private byte[] keep(byte[] piece) {
        pending = null;
        if (kept != null) {
            kept.add(piece); // an empty one is the end; an attempt that repeats has to get the last
            if (size + piece.length <= KEPT && memory.used() + piece.length <= memory.limit() / 2) {
                size += piece.length;
                memory.add(piece.length);
            } else {
                forget();
            }
        }
        return piece;
    }

    private final class Attempt implements BodySource {
        private List<byte[]> repeats = kept; // null when it has nothing to repeat
        private int at;

        @Override
        public CompletionStage<byte[]> next() throws Exception {
            if (repeats == null) {
                return take();
            }
            if (at < repeats.size()) {
                return CompletableFuture.completedFuture(repeats.get(at++));
            }
            if (repeats == kept) {
                at++; // for the piece that take() keeps
            } else {
                repeats = null;
            }
            return take();
        }
    }
}
