// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.TlsSettings.ClientCertificates;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;

/**
 * Frozen {@link TlsSettings}, which every kind of engine follows. Immutable.
 *
 * @param credentials the certificates of the server
 * @param versions {@code TLSv1.3} and the like, in no order
 * @param cipherSuites by their standard names, the best first
 * @param refusesUnknownNames whether a name that no certificate has ends the handshake
 * @param clients whether clients are asked for a certificate
 * @param trusted the authorities of client certificates; empty if clients are not asked
 * @param sessions how many sessions are remembered
 * @param sessionLifetime how long a session can be resumed
 */
public record TlsPolicy(
        Credentials credentials,
        List<String> versions,
        List<String> cipherSuites,
        boolean refusesUnknownNames,
        ClientCertificates clients,
        List<X509Certificate> trusted,
        int sessions,
        Duration sessionLifetime) {}
