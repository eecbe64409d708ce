// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.io.IOException;

/**
 * Receives the outcome of {@link Loop#connect}: the loop calls one of the two methods, once, and
 * never from within {@code connect}. Loop-confined.
 */
public interface Connector {

    /** Returns the protocol of a connection that is open. May already write to it. */
    Protocol connected(Connection connection);

    /**
     * Reports that there is no connection.
     *
     * @param why a {@link java.net.SocketTimeoutException} if the peer has not accepted it in time,
     *     a {@link LoopStoppedException} if the loop is stopping, a {@link
     *     javax.net.ssl.SSLHandshakeException} if {@linkplain TlsClient TLS} failed, which is a
     *     {@link TlsHandshakeTimeoutException} if it has taken too long; otherwise a {@link
     *     java.net.ConnectException}: refused, unreachable, or no descriptor left
     */
    void failed(IOException why);
}
