// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

/** Gives each accepted connection its protocol. Loop-confined: called on the connection's loop. */
@FunctionalInterface
public interface Acceptor {

    /**
     * Returns the protocol of {@code connection}. May already write to it, set its deadline or
     * limit its rates. When it throws, the connection is aborted.
     */
    Protocol accept(Connection connection);
}
