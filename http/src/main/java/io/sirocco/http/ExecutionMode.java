// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

/** Where a handler runs. Chosen per route; {@link #VIRTUAL} unless said otherwise. */
public enum ExecutionMode {
    /**
     * On a virtual thread, which the connection's own loop carries at first: it may block, and
     * costs next to nothing when it does not. If the handler blocks the loop for more than 20 ms
     * without parking (files, pipes, native code, computation), the JDK's scheduler runs the route
     * from then on, so that no route blocks a loop twice.
     */
    VIRTUAL,
    /**
     * On a virtual thread that is always carried by the connection's own loop: as {@link #VIRTUAL},
     * but the route is never moved, whatever it does to the loop. For handlers that touch what is
     * confined to the loop.
     */
    LOOP,
    /**
     * Directly on the loop: the fastest, and must never block. Its request body is complete before
     * it is called.
     */
    INLINE,
    /**
     * On a platform thread of a pool that all loops share: for work that is heavy on CPU or holds
     * its thread.
     */
    POOL
}
