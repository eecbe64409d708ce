// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.epoll;

/** A socket, or another descriptor, in the epoll set of a loop. Loop-confined. */
interface Watched {
    /**
     * Handles an event.
     *
     * @param events bits as {@link io.sirocco.net.linux.EpollSet#IN}
     */
    void ready(int events);
}
