// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

/** Where a handler runs. Chosen per route; {@link #VIRTUAL} unless said otherwise. */
public enum Handling {
    /**
     * On a virtual thread carried by the connection's own loop: may block, costs next to nothing
     * when it does not.
     */
    VIRTUAL,
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
