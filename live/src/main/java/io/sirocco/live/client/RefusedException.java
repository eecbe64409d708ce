// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

/**
 * What {@link LiveNamespace#connect} is completed with when the server refuses for good. Immutable.
 */
public final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient Refused refused;

    RefusedException(Refused refused) {
        super(refused.message() + (refused.code().isEmpty() ? "" : " (" + refused.code() + ")"));
        this.refused = refused;
    }

    /** What it has said. */
    public Refused refused() {
        return refused;
    }
}
