// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/**
 * Certificates and keys in text (RFC 7468). Whatever is wrong with a file is told as an {@link
 * IllegalArgumentException} that begins with its name. Immutable.
 */
public final class Pem {
    /** More than any chain or list of authorities has. */
    private static final long LARGEST = 16 << 20;

    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----(.*?)-----END \\1-----", Pattern.DOTALL);
    private static final List<String> ALGORITHMS = List.of("RSA", "EC", "EdDSA", "RSASSA-PSS");

    /** What lies between two marks: its label, and its bytes or why they cannot be read. */
    private record Block(String label, String text) {}

    private Pem() {}

    /** All certificates of {@code file}, in their order; at least one. */
    public static List<X509Certificate> certificates(Path file) {
        var all = new ArrayList<X509Certificate>();
        for (Block block : blocks(file)) {
            if (block.label.equals("CERTIFICATE")
                    || block.label.equals("X509 CERTIFICATE")
                    || block.label.equals("TRUSTED CERTIFICATE")) {
                all.add(certificate(file, block));
            }
        }
        if (all.isEmpty()) {
            throw wrong(file, "it has no certificate: no line -----BEGIN CERTIFICATE-----");
        }
        return List.copyOf(all);
    }

    private static X509Certificate certificate(Path file, Block block) {
        try {
            return (X509Certificate)
                    CertificateFactory.getInstance("X.509")
                            .generateCertificate(new ByteArrayInputStream(decode(file, block)));
        } catch (CertificateException e) {
            throw wrong(file, "a certificate in it is malformed: " + e.getMessage());
        }
    }

    /** The first private key of {@code file}. */
    public static PrivateKey key(Path file, Optional<String> password) {
        for (Block block : blocks(file)) {
            switch (block.label) {
                case "PRIVATE KEY":
                    return pkcs8(file, decode(file, block));
                case "RSA PRIVATE KEY":
                    return pkcs8(file, PrivateKeyInfo.ofPkcs1(decode(file, block)));
                case "EC PRIVATE KEY":
                    return pkcs8(file, sec1(file, decode(file, block)));
                case "ENCRYPTED PRIVATE KEY":
                    String opens =
                            password.orElseThrow(
                                    () -> wrong(file, "its key is encrypted: give the password"));
                    return pkcs8(file, decrypt(file, decode(file, block), opens));
                default: // parameters, certificates
            }
        }
        throw wrong(file, "it has no private key: no line -----BEGIN PRIVATE KEY-----");
    }

    private static byte[] sec1(Path file, byte[] der) {
        try {
            return PrivateKeyInfo.ofSec1(der);
        } catch (IllegalArgumentException e) {
            throw wrong(file, "its EC key is malformed: " + e.getMessage());
        }
    }

    private static byte[] decrypt(Path file, byte[] der, String password) {
        try {
            var encrypted = new EncryptedPrivateKeyInfo(der);
            var factory = SecretKeyFactory.getInstance(algorithm(encrypted));
            var key = factory.generateSecret(new PBEKeySpec(password.toCharArray()));
            return encrypted.getKeySpec(key).getEncoded();
        } catch (IOException e) {
            throw wrong(file, "its encrypted key is malformed: " + e.getMessage());
        } catch (GeneralSecurityException e) {
            throw wrong(file, "the password does not open its key (" + e.getMessage() + ")");
        }
    }

    /** PBES2 is a family; its parameters know the member's name (RFC 8018 6.2). */
    private static String algorithm(EncryptedPrivateKeyInfo encrypted) {
        String name = encrypted.getAlgName();
        return name.equals("PBES2") || name.equals("1.2.840.113549.1.5.13")
                ? encrypted.getAlgParameters().toString()
                : name;
    }

    private static PrivateKey pkcs8(Path file, byte[] der) {
        for (String algorithm : ALGORITHMS) {
            try {
                return KeyFactory.getInstance(algorithm)
                        .generatePrivate(new PKCS8EncodedKeySpec(der));
            } catch (InvalidKeySpecException e) {
                // it is another's, or no one's
            } catch (GeneralSecurityException e) {
                throw new AssertionError(e);
            }
        }
        throw wrong(file, "its key is malformed, or neither RSA nor EC nor EdDSA");
    }

    private static List<Block> blocks(Path file) {
        Matcher matcher = BLOCK.matcher(new String(read(file), StandardCharsets.ISO_8859_1));
        var all = new ArrayList<Block>();
        while (matcher.find()) {
            all.add(new Block(matcher.group(1), matcher.group(2)));
        }
        return all;
    }

    /** The bytes of a file that may have been meant to be one of these. */
    public static byte[] read(Path file) {
        try {
            if (Files.size(file) > LARGEST) {
                throw wrong(file, "it is larger than " + (LARGEST >> 20) + " MiB");
            }
            return Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            throw wrong(file, "there is no such file");
        } catch (IOException e) {
            throw wrong(file, "it cannot be read: " + e);
        }
    }

    private static byte[] decode(Path file, Block block) {
        if (block.text.contains("Proc-Type:")) {
            throw wrong(
                    file,
                    "its key is encrypted in OpenSSL's old form; convert it with: openssl pkcs8"
                            + " -topk8 -in OLD -out NEW");
        }
        try {
            return Base64.getMimeDecoder().decode(block.text);
        } catch (IllegalArgumentException e) {
            throw wrong(file, "what it calls " + block.label + " is not base64");
        }
    }

    /** One certificate, as text. */
    public static String text(X509Certificate certificate) throws CertificateException {
        String lines =
                Base64.getMimeEncoder(64, new byte[] {'\n'})
                        .encodeToString(certificate.getEncoded());
        return "-----BEGIN CERTIFICATE-----\n" + lines + "\n-----END CERTIFICATE-----\n";
    }

    public static IllegalArgumentException wrong(Path file, String what) {
        return new IllegalArgumentException("cannot use " + file + ": " + what);
    }
}
