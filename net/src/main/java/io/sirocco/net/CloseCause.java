// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

/** The reason for which a connection is gone. Immutable. */
public enum CloseCause {
    /** We finished it, and all output had left. */
    FINISHED,
    /** We aborted it; output may be lost. */
    ABORTED,
    /** The peer reset it, or the network failed. */
    RESET,
    /** TLS: the peer's stream ended without its closing alert, so bytes may be missing. */
    TRUNCATED,
    /** TLS: the handshake failed, or the peer sent an invalid record. */
    TLS_FAILED,
    /** Its loop stopped. */
    STOPPED,
    /** The memory of its loop was short, and its peer had kept the loop waiting the longest. */
    MEMORY_SHORT,
    /**
     * Its loop had its maximum number of connections, or its listener, with {@link
     * WhenFull#REPLACE}, while it waited for its peer.
     */
    TOO_MANY
}
