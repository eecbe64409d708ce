// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.mqtt;

import com.hivemq.client.mqtt.MqttClientSslConfig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;

/**
 * The certificates for a broker, from PEM files: {@code ca.crt} is the authority to trust, and
 * without it those of the JDK are trusted; {@code certificate.crt} and {@code key.pem} (PKCS#8) are
 * what the client shows. Any thread.
 */
final class BrokerCertificates {
    private static final Pattern KEY =
            Pattern.compile(
                    "-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");
    private static final long LARGEST = 1 << 20;

    private BrokerCertificates() {}

    /** A file cannot be used. */
    static final class UnusableException extends IOException {
        private static final long serialVersionUID = 1L;

        UnusableException(String message) {
            super(message);
        }

        UnusableException(String message, Exception cause) {
            super(message, cause);
        }
    }

    /**
     * Reads the files. The name of the broker is verified.
     *
     * @throws IOException if a file cannot be used: the message says which, and why
     */
    static MqttClientSslConfig read(Path folder, long timeoutMillis) throws IOException {
        var config =
                MqttClientSslConfig.builder()
                        .handshakeTimeout(timeoutMillis, TimeUnit.MILLISECONDS);
        Path authority = folder.resolve("ca.crt");
        Path certificate = folder.resolve("certificate.crt");
        Path key = folder.resolve("key.pem");
        try {
            if (Files.exists(authority)) {
                config.trustManagerFactory(trust(authority));
            }
            if (Files.exists(certificate) != Files.exists(key)) {
                throw new UnusableException(
                        folder + " has one of certificate.crt and key.pem, and needs both");
            }
            if (Files.exists(certificate)) {
                config.keyManagerFactory(own(certificate, key));
            }
        } catch (GeneralSecurityException e) {
            throw new UnusableException(folder + ": " + e.getMessage(), e);
        }
        return config.build();
    }

    private static TrustManagerFactory trust(Path file)
            throws IOException, GeneralSecurityException {
        KeyStore store = empty();
        for (Certificate each : certificates(file)) {
            store.setCertificateEntry("authority" + store.size(), each);
        }
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        return trust;
    }

    private static KeyManagerFactory own(Path certificate, Path key)
            throws IOException, GeneralSecurityException {
        KeyStore store = empty();
        Certificate[] chain = certificates(certificate).toArray(Certificate[]::new);
        store.setKeyEntry("own", privateKey(key), new char[0], chain);
        var own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(store, new char[0]);
        return own;
    }

    private static KeyStore empty() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    private static Collection<? extends Certificate> certificates(Path file) throws IOException {
        refuseLarge(file);
        try (var in = Files.newInputStream(file)) {
            var found = CertificateFactory.getInstance("X.509").generateCertificates(in);
            if (!found.isEmpty()) {
                return found;
            }
        } catch (CertificateException e) {
            throw new UnusableException(
                    file + " has a malformed certificate: " + e.getMessage(), e);
        }
        throw new UnusableException(
                file + " has no certificate: no line -----BEGIN CERTIFICATE-----");
    }

    private static PrivateKey privateKey(Path file) throws IOException, GeneralSecurityException {
        refuseLarge(file);
        Matcher key = KEY.matcher(Files.readString(file, StandardCharsets.ISO_8859_1));
        if (!key.find()) {
            throw new UnusableException(
                    file
                            + " has no line -----BEGIN PRIVATE KEY-----; convert it with: openssl"
                            + " pkcs8 -topk8 -nocrypt -in OLD -out key.pem");
        }
        var encoded = new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(key.group(1)));
        for (String algorithm : List.of("RSA", "EC", "EdDSA")) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(encoded);
            } catch (InvalidKeySpecException e) {
                // it is another's
            }
        }
        throw new UnusableException(
                file + " has a key that is malformed, or neither RSA nor EC nor EdDSA");
    }

    private static void refuseLarge(Path file) throws IOException {
        if (Files.size(file) > LARGEST) {
            throw new UnusableException(file + " is larger than 1 MiB");
        }
    }
}
