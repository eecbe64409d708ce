// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

/** Whose connection a TLS layer secures: one that was accepted, or one that we opened. */
sealed interface TlsSide permits TlsAcceptor, TlsClient.Opening {

    /** Asked what is spoken above TLS, when the handshake is done. */
    Acceptor acceptor();

    /** Returns the response to a peer that sends plain text instead of TLS; empty for none. */
    byte[] plainTextResponse();

    /** The connection has gone before the handshake was done. */
    default void failed(String reason) {}

    /** The connection has gone because the handshake was not done in time. */
    default void timedOut() {}

    /** The connection has gone because its loop is stopping. */
    default void stopped() {}
}
