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
    STOPPED
}
