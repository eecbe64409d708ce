// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.wire;

/** A peer has broken the protocol; the message says how. Has no stack: it is the peer's fault. */
public final class WireException extends Exception {
    private static final long serialVersionUID = 1;

    public WireException(String message) {
        super(message, null, false, false);
    }
}
