// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.TlsSettings.ClientCertificates;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;

/**
 * {@link TlsSettings}, frozen: what every kind of engine has to heed. Immutable.
 *
 * @param versions {@code TLSv1.3} and the like, in no order
 * @param cipherSuites by their standard names, the best first
 * @param refusesUnknownNames whether a name that no certificate has ends the handshake
 * @param trusted who may have issued the certificates of clients; nobody if these are not asked
 * @param sessions how many are remembered
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
