// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.net.SocketAddress;

/**
 * Decides who may connect at all. Called on a loop for each connection before anything is read from
 * it, a TLS handshake included, so it must not block. Any thread.
 */
public interface Admission {
    /** Admits everybody, without asking for the address. */
    Admission ALL = new Admission() { // a lambda of this interface would not be in the AOT cache
                @Override
                public boolean admit(SocketAddress remote) {
                    return true;
                }
            };

    /**
     * Returns whether a connection from {@code remote} is served; if not, it is closed without a
     * response.
     */
    boolean admit(SocketAddress remote);

    /** Notes that a connection which was admitted has ended. */
    default void gone(SocketAddress remote) {}
}
