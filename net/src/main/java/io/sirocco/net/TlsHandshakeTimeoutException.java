// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import javax.net.ssl.SSLHandshakeException;

/**
 * The peer of an outgoing connection did not complete the TLS handshake within the {@linkplain
 * TlsClient#withHandshakeTimeout timeout}. Immutable.
 */
public final class TlsHandshakeTimeoutException extends SSLHandshakeException {
    private static final long serialVersionUID = 1;

    TlsHandshakeTimeoutException(String message) {
        super(message);
    }
}
