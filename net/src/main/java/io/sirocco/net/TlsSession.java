// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;

/**
 * What the two ends of a TLS connection have agreed on. Immutable.
 *
 * @param version {@code TLSv1.3} or {@code TLSv1.2}
 * @param cipherSuite its standard name
 * @param serverName the host that the client asked for (SNI)
 * @param protocol what is spoken above TLS, if they agreed on that (ALPN)
 * @param peerCertificates the peer's certificate and those that lead to its authority; none if it
 *     is a client that was not asked or had none
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
