// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

/** What happens to a new connection when every slot of its loop is taken. */
public enum WhenFull {
    /** It waits in the kernel's backlog: the loop stops accepting until a slot is free. */
    BACKLOG,
    /** It is accepted and parked, unread, until a slot is free or the parking deadline passes. */
    PARK
}
