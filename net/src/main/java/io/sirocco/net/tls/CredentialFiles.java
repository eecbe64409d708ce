// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.tls;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sirocco.net.Credential;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Reads credentials from files: PEM (RFC 7468) and PKCS#12 (RFC 7292). An error is an {@link
 * IllegalArgumentException} that names the file. Any thread.
 */
public final class CredentialFiles {
    private static final int DNS_NAME = 2; // RFC 5280 4.2.1.6
    private static final byte[] CHALLENGE = new byte[32];

    private CredentialFiles() {}

    public static Credential pem(Path chain, Path key, Optional<String> password) {
        List<X509Certificate> certificates = Pem.certificates(chain);
        PrivateKey secret = Pem.key(key, password);
        if (!fits(secret, certificates.getFirst().getPublicKey())) {
            throw Pem.wrong(key, "it is not the key of the first certificate in " + chain);
        }
        return new Credential(certificates, secret, names(certificates.getFirst()));
    }

    /** Those of a PKCS#12 store: the one of {@code alias}, or all; at least one. */
    public static List<Credential> store(Path file, String password, Optional<String> alias) {
        char[] secret = password.toCharArray();
        var all = new ArrayList<Credential>();
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(new ByteArrayInputStream(Pem.read(file)), secret);
            for (String each : alias.map(List::of).orElse(Collections.list(store.aliases()))) {
                if (store.isKeyEntry(each)) {
                    all.add(of(store.getCertificateChain(each), store.getKey(each, secret)));
                }
            }
        } catch (IOException e) {
            boolean closed = e.getCause() instanceof GeneralSecurityException;
            throw Pem.wrong(
                    file,
                    isPem(file)
                            ? "it is no PKCS#12 store, but looks like PEM"
                            : !closed
                                    ? "it is no PKCS#12 store: " + e.getMessage()
                                    : password.isEmpty()
                                            ? "it needs a password, and none was given"
                                            : "the password does not open it");
        } catch (GeneralSecurityException e) {
            throw Pem.wrong(file, "a key in it cannot be had: " + e.getMessage());
        }
        if (all.isEmpty()) {
            throw Pem.wrong(
                    file,
                    alias.map(a -> "it has no private key by the alias " + a)
                            .orElse("it has no private key"));
        }
        return all;
    }

    private static boolean isPem(Path file) {
        return new String(Pem.read(file), ISO_8859_1).contains("-----BEGIN ");
    }

    private static Credential of(Certificate[] chain, java.security.Key key) {
        List<X509Certificate> certificates =
                Arrays.stream(chain).map(X509Certificate.class::cast).toList();
        return new Credential(certificates, (PrivateKey) key, names(certificates.getFirst()));
    }

    private static List<String> names(X509Certificate certificate) {
        try {
            Collection<List<?>> all = certificate.getSubjectAlternativeNames();
            return all == null
                    ? List.of()
                    : all.stream()
                            .filter(name -> name.getFirst().equals(DNS_NAME))
                            .map(name -> name.getLast().toString().toLowerCase(Locale.ROOT))
                            .toList();
        } catch (CertificateParsingException e) {
            return List.of(); // it can still be the default
        }
    }

    private static boolean fits(PrivateKey ours, PublicKey theirs) {
        String algorithm = signature(theirs);
        try {
            Signature signs = Signature.getInstance(algorithm);
            signs.initSign(ours);
            signs.update(CHALLENGE);
            Signature checks = Signature.getInstance(algorithm);
            checks.initVerify(theirs);
            checks.update(CHALLENGE);
            return checks.verify(signs.sign());
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    private static String signature(PublicKey key) {
        return switch (key.getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            default -> key.getAlgorithm();
        };
    }
}
