// SPDX-License-Identifier: Apache-2.0
package io.sirocco.openssl;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.sirocco.net.TlsSession;
import java.io.ByteArrayInputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.net.ssl.SNIHostName;

/** What is known of the other end of an {@code SSL}. Used by its thread. */
final class Peer {
    private static final MethodHandle GET_VERSION = Ssl.function("SSL_get_version");
    private static final MethodHandle CIPHER = Ssl.function("SSL_get_current_cipher");
    private static final MethodHandle CIPHER_NAME = Ssl.function("SSL_CIPHER_standard_name");
    private static final MethodHandle SERVERNAME = Ssl.function("SSL_get_servername");
    private static final MethodHandle ALPN = Ssl.function("SSL_get0_alpn_selected");
    private static final MethodHandle CERTIFICATE = Ssl.function("SSL_get1_peer_certificate");
    private static final MethodHandle FREE = Ssl.function("X509_free");
    private static final MethodHandle ENCODE = Ssl.function("i2d_X509");
    private static final MethodHandle COUNT = Ssl.function("OPENSSL_sk_num");
    private static final MethodHandle ELEMENT = Ssl.function("OPENSSL_sk_value");
    private static final MethodHandle VERIFIED = Ssl.function("SSL_get_verify_result");
    private static final MethodHandle VERDICT = Ssl.function("X509_verify_cert_error_string");
    private static final MethodHandle CHAIN = Ssl.function("SSL_get_peer_cert_chain");

    private static final Pattern UNDERSCORE = Pattern.compile("[A-Za-z0-9._-]*[A-Za-z0-9_-]");

    private Peer() {}

    static TlsSession session(long ssl) {
        long cipher = Ssl.call(CIPHER, ssl, 0, 0, 0);
        return new TlsSession(
                Ssl.text(Ssl.call(GET_VERSION, ssl, 0, 0, 0)),
                Ssl.text(Ssl.call(CIPHER_NAME, cipher, 0, 0, 0)),
                serverName(ssl),
                protocol(ssl),
                certificates(ssl));
    }

    private static Optional<String> serverName(long ssl) {
        String name = Ssl.text(Ssl.call(SERVERNAME, ssl, 0, 0, 0));
        try {
            return name.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new SNIHostName(name).getAsciiName());
        } catch (IllegalArgumentException e) {
            // to the JDK, a name with an underscore is that of no host; services of Docker have one
            return Optional.of(name).filter(UNDERSCORE.asMatchPredicate());
        }
    }

    private static Optional<String> protocol(long ssl) {
        try (Arena brief = Arena.ofConfined()) {
            MemorySegment address = brief.allocate(ADDRESS);
            MemorySegment length = brief.allocate(JAVA_INT);
            Ssl.call(ALPN, ssl, address.address(), length.address(), 0);
            int n = length.get(JAVA_INT, 0);
            return n == 0
                    ? Optional.empty()
                    : Optional.of(
                            new String(
                                    Ssl.bytes(address.get(JAVA_LONG, 0), n),
                                    StandardCharsets.ISO_8859_1));
        }
    }

    /** Its own first, then those that lead to its authority. */
    private static List<X509Certificate> certificates(long ssl) {
        long own = Ssl.call(CERTIFICATE, ssl, 0, 0, 0);
        if (own == 0) {
            return List.of();
        }
        var all = new ArrayList<X509Certificate>();
        all.add(certificate(own));
        Ssl.call(FREE, own, 0, 0, 0);
        long chain = Ssl.call(CHAIN, ssl, 0, 0, 0); // null is a chain of -1
        int length = (int) Ssl.call(COUNT, chain, 0, 0, 0);
        for (int i = 0; i < length; i++) {
            all.add(certificate(Ssl.call(ELEMENT, chain, i, 0, 0)));
        }
        return all;
    }

    private static X509Certificate certificate(long x509) {
        try (Arena brief = Arena.ofConfined()) {
            int length = (int) Ssl.call(ENCODE, x509, 0, 0, 0);
            MemorySegment bytes = brief.allocate(length);
            MemorySegment cursor = brief.allocateFrom(ADDRESS, bytes);
            Ssl.call(ENCODE, x509, cursor.address(), 0, 0);
            byte[] encoded = Ssl.bytes(bytes.address(), length);
            return (X509Certificate)
                    CertificateFactory.getInstance("X.509")
                            .generateCertificate(new ByteArrayInputStream(encoded));
        } catch (CertificateException e) {
            throw new IllegalStateException("OpenSSL has let in what is no certificate", e);
        }
    }

    /** Why a handshake has failed. */
    static String refusal(long ssl) {
        int verified = (int) Ssl.call(VERIFIED, ssl, 0, 0, 0);
        String reason = Ssl.reason();
        return verified == 0
                ? reason
                : reason + ": " + Ssl.text(Ssl.call(VERDICT, verified, 0, 0, 0));
    }
}
