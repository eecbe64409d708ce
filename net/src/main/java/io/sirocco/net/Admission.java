// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.net.SocketAddress;

/**
 * Who may connect at all. Asked on a loop for each connection before anything of it is read, a TLS
 * handshake included, so it must not block. Any thread.
 */
public interface Admission {
    /** Everybody; nobody is asked who he is. */
    Admission ALL = remote -> true;

    /** Whether a connection of this peer is served; if not, it is closed without a word. */
    boolean admit(SocketAddress remote);

    /** One that was admitted has ended. */
    default void gone(SocketAddress remote) {}
}
