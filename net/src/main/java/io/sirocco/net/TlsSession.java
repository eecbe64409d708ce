// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;

/**
 * The outcome of a TLS handshake. Immutable.
 *
 * @param version {@code TLSv1.3} or {@code TLSv1.2}
 * @param cipherSuite its standard name
 * @param serverName the host that the client asked for (SNI)
 * @param protocol the protocol above TLS, if one was negotiated (ALPN)
 * @param peerCertificates the peer's certificate and the ones that lead to its authority; empty for
 *     a client that was not asked or had none
 */
public record TlsSession(
        String version,
        String cipherSuite,
        Optional<String> serverName,
        Optional<String> protocol,
        List<X509Certificate> peerCertificates) {

    public TlsSession {
        peerCertificates = List.copyOf(peerCertificates);
    }
}
