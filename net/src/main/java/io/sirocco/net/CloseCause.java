// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

/** Why a connection is gone. */
public enum CloseCause {
    /** We finished it: all output had left. */
    FINISHED,
    /** We gave it up: output may be lost. */
    ABORTED,
    /** The peer reset it, or the network failed. */
    RESET,
    /** TLS: the peer's stream ended without its closing alert, so bytes may be missing. */
    TRUNCATED,
    /** TLS: no handshake came about, or what came was no record of the peer's. */
    TLS_FAILED,
    /** Its loop stopped. */
    STOPPED,
    /** The memory of its loop was short, and its peer had kept the loop waiting for the longest. */
    MEMORY_SHORT,
    /** Its loop had as many connections as it may have. */
    TOO_MANY
}
