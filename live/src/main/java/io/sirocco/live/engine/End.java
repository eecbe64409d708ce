// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.engine;

/** How a {@link Session} came to its end. */
public enum End {
    /** The peer has closed it, went without a word, or broke the protocol. */
    LOST,
    /** The peer has sent more than it may. */
    LIMITED,
    /** It did not take what it was sent. */
    SLOW,
    /** We have closed it. */
    OURS
}
