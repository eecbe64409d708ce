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
     * Called when there is no connection.
     *
     * @param why a {@link java.net.SocketTimeoutException} if the peer has not accepted it in time,
     *     a {@link LoopStoppedException} if the loop is stopping, a {@link
     *     javax.net.ssl.SSLHandshakeException} if {@linkplain TlsClient TLS} failed, which is a
     *     {@link TlsHandshakeTimeoutException} if it has taken too long; otherwise a {@link
     *     java.net.ConnectException}: refused, unreachable, or no descriptor left
     */
    void failed(IOException why);
}
