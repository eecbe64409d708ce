// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.io.IOException;

/**
 * Told what becomes of a {@link Loop#connect}: exactly one of its methods is called, once, on the
 * loop, and never from within that call. Loop-confined.
 */
public interface Connector {

    /** It is connected. Gives it the protocol to speak; may already write to it. */
    Protocol connected(Connection connection);

    /**
     * There is no connection: refused, unreachable, no answer in time, nothing left to make a
     * socket of, or the loop is stopping.
     */
    void failed(IOException why);
}
