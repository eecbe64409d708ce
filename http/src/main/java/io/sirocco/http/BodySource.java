// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import java.util.concurrent.CompletionStage;

/**
 * Produces a body piece by piece without a thread: each piece is requested when the peer has taken
 * enough of those before. The consumer calls {@link #next} again only after the stage before has
 * completed, and calls {@link #close} exactly once, after the last piece or when it gives up.
 *
 * <p>An implementation may complete a stage on any thread. <em>Methods are called on a loop, and
 * must not block.</em>
 */
@FunctionalInterface
public interface BodySource {
    /**
     * Returns the next piece, which must not change any more; an empty one at the end of the body.
     * A stage that fails ends the message in the middle, and the peer can tell.
     *
     * @throws Exception with the same effect as a stage that fails
     */
    CompletionStage<byte[]> next() throws Exception;

    /** Releases what this source holds. Does nothing by default. */
    default void close() {}
}
