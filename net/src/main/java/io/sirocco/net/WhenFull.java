// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

/**
 * The policy for a new connection when every slot of the listener is taken, on all loops.
 * Immutable.
 */
public enum WhenFull {
    /**
     * It waits in the kernel's backlog: the loops stop accepting until a slot is free. When several
     * accept for the last slot at the same time, one connection for each of them is open already,
     * and waits unread.
     */
    BACKLOG,
    /**
     * It is accepted and parked, unread, until a slot is free on any loop or the parking deadline
     * passes.
     */
    PARK
}
