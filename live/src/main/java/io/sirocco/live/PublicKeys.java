// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayInputStream;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.NoSuchAlgorithmException;
import java.security.PublicKey;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Public keys in text (RFC 7468 section 13), or in a certificate (section 5). */
final class PublicKeys {
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \\1-----");
    private static final List<String> ALGORITHMS = List.of("RSA", "EC");

    private PublicKeys() {}

    /**
     * The one in this text.
     *
     * @throws IllegalArgumentException when there is none, or more than one, with what to do
     */
    static PublicKey of(String pem) {
        Matcher block = BLOCK.matcher(pem);
        if (!block.find()) {
            throw new IllegalArgumentException("no line is -----BEGIN PUBLIC KEY-----");
        }
        PublicKey key = key(block.group(1), bytes(block.group(2)));
        if (block.find()) {
            throw new IllegalArgumentException("there is more than one key, or certificate");
        }
        return key;
    }

    private static byte[] bytes(String text) {
        try {
            return Base64.getMimeDecoder().decode(text.getBytes(ISO_8859_1));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("what is in it is not base64", e);
        }
    }

    private static PublicKey key(String label, byte[] der) {
        return switch (label) {
            case "PUBLIC KEY" -> key(der);
            case "CERTIFICATE" -> certified(der);
            case "RSA PUBLIC KEY" ->
                    throw new IllegalArgumentException(
                            "the key has an old form: openssl rsa -RSAPublicKey_in -in OLD -pubout");
            default ->
                    throw new IllegalArgumentException(
                            label.endsWith("PRIVATE KEY")
                                    ? "the key is a private one, which does not belong here: openssl"
                                            + " pkey -in KEY -pubout"
                                    : "what it has is no public key but " + label);
        };
    }

    private static PublicKey key(byte[] der) {
        for (String algorithm : ALGORITHMS) {
            try {
                return KeyFactory.getInstance(algorithm)
                        .generatePublic(new X509EncodedKeySpec(der));
            } catch (InvalidKeySpecException e) {
                // it is another's, or no one's
            } catch (NoSuchAlgorithmException e) {
                throw new AssertionError("every JDK has " + algorithm, e);
            }
        }
        throw new IllegalArgumentException("the key is malformed, or neither RSA nor EC");
    }

    private static PublicKey certified(byte[] der) {
        try {
            return CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(der))
                    .getPublicKey();
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("the certificate is malformed", e);
        }
    }
}
