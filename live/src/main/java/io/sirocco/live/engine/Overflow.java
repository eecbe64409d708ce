// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.engine;

/** What becomes of a peer, or of its messages, when too much waits for it. */
public enum Overflow {
    CLOSE,
    DROP_OLDEST,
    DROP_NEWEST
}
