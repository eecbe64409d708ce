// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

/** Why a client is gone. */
public enum Reason {
    /** It said good-bye. */
    LEFT,
    /** It went without a word: an end of the connection, no pong, a break of the protocol. */
    LOST,
    /** {@link Client#close}. */
    KICKED,
    /** It did not take what it was sent. */
    SLOW,
    /** It broke a limit. */
    LIMITED,
    /** The server stops. */
    STOPPED
}
