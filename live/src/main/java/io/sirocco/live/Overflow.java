// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

/** What becomes of a client for whom more waits than its budget has. */
public enum Overflow {
    /** It is closed; it comes back, and recovers. */
    CLOSE,
    /** The events that wait longest are dropped, and it is told that there is a gap. */
    DROP_OLDEST,
    /** The events that come last are dropped, and it is told that there is a gap. */
    DROP_NEWEST
}
