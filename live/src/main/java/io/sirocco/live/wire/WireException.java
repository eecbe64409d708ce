// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.wire;

/** A peer has broken the protocol; the message says how. Has no stack: it is the peer's fault. */
public final class WireException extends Exception {
    private static final long serialVersionUID = 1;

    private final boolean limit;

    public WireException(String message) {
        this(message, false);
    }

    private WireException(String message, boolean limit) {
        super(message, null, false, false);
        this.limit = limit;
    }

    /** What it has sent is well-formed, but too large. */
    public static WireException limit(String message) {
        return new WireException(message, true);
    }

    /** Whether a limit was broken, and not the protocol. */
    public boolean isLimit() {
        return limit;
    }
}
