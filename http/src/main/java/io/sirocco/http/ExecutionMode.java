// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

/**
 * Where a handler runs, chosen for a {@linkplain Route#executionMode route} or for {@linkplain
 * Config#executionMode all of them}. The default is {@link #VIRTUAL}.
 */
public enum ExecutionMode {
    /**
     * On a virtual thread that the connection's event loop carries. The handler may block, which
     * parks the thread; a handler that does not block costs next to nothing. If the handler blocks
     * the loop for more than 20 ms without parking (file and pipe I/O, native code, computation),
     * the route moves to the JDK's scheduler and stays there, so that no route blocks a loop twice.
     */
    VIRTUAL,
    /**
     * On a virtual thread that the connection's event loop always carries. Like {@link #VIRTUAL},
     * but the route never moves. For handlers that touch loop-confined objects.
     */
    LOOP,
    /**
     * On the loop's own thread. The fastest mode; the handler must never block. It is called when
     * the request body is complete, unless the route {@linkplain Route#startBeforeBody starts
     * before the body}.
     */
    INLINE,
    /**
     * On a platform thread of a pool that all loops share. For heavy computation and native code
     * that keeps its thread for long.
     */
    POOL
}
