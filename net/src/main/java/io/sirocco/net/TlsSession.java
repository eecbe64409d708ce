// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

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

    static TlsSession of(SSLEngine engine) {
        SSLSession session = engine.getSession();
        return new TlsSession(
                session.getProtocol(),
                session.getCipherSuite(),
                serverName(session),
                Optional.ofNullable(engine.getApplicationProtocol()).filter(p -> !p.isEmpty()),
                asksForCertificates(engine) ? peerCertificates(session) : List.of());
    }

    private static boolean asksForCertificates(SSLEngine engine) {
        return engine.getUseClientMode()
                || engine.getNeedClientAuth()
                || engine.getWantClientAuth();
    }

    private static Optional<String> serverName(SSLSession session) {
        return session instanceof ExtendedSSLSession extended
                ? extended.getRequestedServerNames().stream()
                        .filter(SNIHostName.class::isInstance)
                        .map(name -> ((SNIHostName) name).getAsciiName())
                        .findFirst()
                : Optional.empty();
    }

    private static List<X509Certificate> peerCertificates(SSLSession session) {
        try {
            Certificate[] chain = session.getPeerCertificates();
            return Arrays.stream(chain).map(X509Certificate.class::cast).toList();
        } catch (SSLPeerUnverifiedException e) {
            return List.of(); // it has none
        }
    }
}
