// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import java.util.concurrent.CompletionStage;

/**
 * Produces a body segment by segment without a thread. The consumer requests a segment when its
 * peer can take more; it calls {@link #next} only after the previous stage has completed, and calls
 * {@link #close} exactly once, after the last segment or when it stops early.
 *
 * <pre>{@code
 * routes.route("POST", "/echo", request -> Response.stream(request.body()::next))
 *         .executionMode(ExecutionMode.INLINE)
 *         .startBeforeBody();
 * }</pre>
 *
 * <p>Any thread may complete a stage. Methods are called on the event loop and must not block.
 */
@FunctionalInterface
public interface BodySource {
    /**
     * Returns the next segment; an empty one ends the body. Do not change the array afterwards. A
     * stage that fails resets the connection, so that the peer can tell that the body is
     * incomplete. The failure is logged, unless it is a {@link
     * java.util.concurrent.CancellationException}.
     *
     * @throws Exception with the same effect as a stage that fails
     */
    CompletionStage<byte[]> next() throws Exception;

    /** Releases the resources of this source. The default implementation does nothing. */
    default void close() {}
}
