// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

/** Gives each accepted connection its protocol. Called on the connection's loop. */
@FunctionalInterface
public interface Acceptor {

    /**
     * The protocol to speak on {@code connection}; may already write to it, set its deadline or
     * pace it.
     */
    Protocol accept(Connection connection);
}
