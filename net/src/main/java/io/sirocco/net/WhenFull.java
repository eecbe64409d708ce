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
    PARK,
    /**
     * It is accepted, and takes the slot of the connection that has been open for the longest time,
     * of those that {@linkplain Protocol#replaced wait for their peer}; that one is closed. Clients
     * that send nothing, or little, cannot keep others out. Connections whose request is being
     * served stay; while all are, one new connection waits unread, and further ones in the backlog.
     */
    REPLACE
}
