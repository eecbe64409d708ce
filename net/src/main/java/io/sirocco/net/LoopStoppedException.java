// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.net.ConnectException;

/**
 * A connection was not opened because its loop is stopping, or has failed. Another attempt on the
 * same loop fails, too. Immutable.
 */
public final class LoopStoppedException extends ConnectException {
    private static final long serialVersionUID = 1;

    LoopStoppedException() {
        super(Loop.STOPPING);
    }
}
