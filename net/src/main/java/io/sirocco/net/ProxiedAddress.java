// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.net.SocketAddress;

/**
 * The two addresses of a connection that a proxy opened for somebody else. It stands in the one
 * field that a {@link Connection} has for its peer, so that others do not grow by it. Immutable.
 */
final class ProxiedAddress extends SocketAddress {
    private static final long serialVersionUID = 1;

    final transient SocketAddress client;
    final transient SocketAddress peer;

    ProxiedAddress(SocketAddress client, SocketAddress peer) {
        this.client = client;
        this.peer = peer;
    }
}
