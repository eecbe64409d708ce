// SPDX-License-Identifier: Apache-2.0
package io.sirocco.testkit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A certificate authority in a folder: its own certificate is {@code AUTHORITY.pem}, and of each
 * name that it signs {@code NAME.pem} is the certificate and {@code NAME.key} the key (PKCS #8). No
 * program is run; the certificates (RFC 5280) are written here. Any thread.
 */
public final class Certificates {
    private static final AtomicLong SERIALS = new AtomicLong(System.nanoTime() >>> 1);

    /** A certificate and its key, both PEM. */
    public record Pair(Path chain, Path key) {}

    private final Path folder;
    private final String name;
    private final KeyPair keys;

    private Certificates(Path folder, String name) throws IOException {
        this.folder = folder;
        this.name = name;
        this.keys = generate("EC");
        write(name, keys.getPrivate(), certificate(name, keys.getPublic(), List.of(), lasting(30)));
    }

    /** Creates an authority of this name. */
    public static Certificates authority(Path folder, String name) throws IOException {
        return new Certificates(folder, name);
    }

    /** The authority's certificate. */
    public Path authority() {
        return folder.resolve(name + ".pem");
    }

    /**
     * Signs a certificate that is valid for 30 days from yesterday on.
     *
     * @param name of the files, and the common name of the subject
     * @param type the algorithm of the key: {@code EC} (P-256), {@code RSA} (2048 bits), {@code
     *     ED25519} or {@code ED448}
     * @param hosts DNS names and IP addresses
     */
    public Pair sign(String name, String type, String... hosts) throws IOException {
        return sign(name, type, lasting(30), hosts);
    }

    /** The same, valid from {@code validity[0]} to {@code validity[1]}. */
    public Pair sign(String name, String type, Instant[] validity, String... hosts)
            throws IOException {
        KeyPair own = generate(type);
        return write(
                name,
                own.getPrivate(),
                certificate(name, own.getPublic(), List.of(hosts), validity));
    }

    private static Instant[] lasting(int days) {
        Instant yesterday = Instant.now().minus(Duration.ofDays(1));
        return new Instant[] {yesterday, yesterday.plus(Duration.ofDays(days))};
    }

    private static KeyPair generate(String type) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance(type);
            if (type.equals("EC")) {
                generator.initialize(new ECGenParameterSpec("secp256r1"));
            } else if (type.equals("RSA")) {
                generator.initialize(2048);
            }
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private Pair write(String name, PrivateKey key, byte[] certificate) throws IOException {
        var pair = new Pair(folder.resolve(name + ".pem"), folder.resolve(name + ".key"));
        Files.writeString(pair.key, pem("PRIVATE KEY", key.getEncoded()));
        Files.writeString(pair.chain, pem("CERTIFICATE", certificate));
        return pair;
    }

    private static String pem(String label, byte[] der) {
        var lines = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII));
        return "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n"
                .formatted(label, lines.encodeToString(der));
    }

    // ---- DER (RFC 5280, 4.1)

    private static final byte[] ECDSA_SHA256 = oid("2a8648ce3d040302");
    private static final byte[] COMMON_NAME = oid("550403");
    private static final byte[] BASIC_CONSTRAINTS = oid("551d13");
    private static final byte[] SUBJECT_ALTERNATIVE_NAME = oid("551d11");

    private static final int BOOLEAN = 0x01;
    private static final int INTEGER = 0x02;
    private static final int BIT_STRING = 0x03;
    private static final int OCTET_STRING = 0x04;
    private static final int OBJECT_IDENTIFIER = 0x06;
    private static final int UTF8_STRING = 0x0c;
    private static final int UTC_TIME = 0x17;
    private static final int SEQUENCE = 0x30;
    private static final int SET = 0x31;
    private static final int DNS_NAME = 0x82;
    private static final int IP_ADDRESS = 0x87;
    private static final int VERSION = 0xa0;
    private static final int EXTENSIONS = 0xa3;

    /** Without hosts it is the authority's own. */
    private byte[] certificate(
            String subject, PublicKey key, List<String> hosts, Instant[] validity) {
        byte[] algorithm = der(SEQUENCE, ECDSA_SHA256);
        byte[] content =
                der(
                        SEQUENCE,
                        der(VERSION, der(INTEGER, new byte[] {2})), // v3
                        der(INTEGER, BigInteger.valueOf(SERIALS.incrementAndGet()).toByteArray()),
                        algorithm,
                        distinguishedName(name),
                        der(SEQUENCE, time(validity[0]), time(validity[1])),
                        distinguishedName(subject),
                        key.getEncoded(),
                        der(EXTENSIONS, der(SEQUENCE, extension(hosts))));
        return der(SEQUENCE, content, algorithm, der(BIT_STRING, new byte[1], sign(content)));
    }

    private byte[] sign(byte[] content) {
        try {
            Signature signature = Signature.getInstance("SHA256withECDSA");
            signature.initSign(keys.getPrivate());
            signature.update(content);
            return signature.sign();
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private static byte[] extension(List<String> hosts) {
        if (hosts.isEmpty()) {
            byte[] yes = {(byte) 0xff};
            byte[] authority = der(SEQUENCE, der(BOOLEAN, yes));
            return der(
                    SEQUENCE, BASIC_CONSTRAINTS, der(BOOLEAN, yes), der(OCTET_STRING, authority));
        }
        byte[][] names = hosts.stream().map(Certificates::generalName).toArray(byte[][]::new);
        return der(SEQUENCE, SUBJECT_ALTERNATIVE_NAME, der(OCTET_STRING, der(SEQUENCE, names)));
    }

    private static byte[] generalName(String host) {
        return host.contains(":") || host.matches("[0-9.]+")
                ? der(IP_ADDRESS, InetAddress.ofLiteral(host).getAddress())
                : der(DNS_NAME, host.getBytes(StandardCharsets.US_ASCII));
    }

    private static byte[] distinguishedName(String commonName) {
        byte[] value = der(UTF8_STRING, commonName.getBytes(StandardCharsets.UTF_8));
        return der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, value)));
    }

    private static byte[] time(Instant at) {
        var format = DateTimeFormatter.ofPattern("yyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);
        return der(UTC_TIME, format.format(at).getBytes(StandardCharsets.US_ASCII));
    }

    private static byte[] oid(String hex) {
        return der(OBJECT_IDENTIFIER, HexFormat.of().parseHex(hex));
    }

    private static byte[] der(int tag, byte[]... parts) {
        var content = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            content.writeBytes(part);
        }
        var out = new ByteArrayOutputStream();
        out.write(tag);
        int length = content.size();
        if (length >= 0x80) {
            int bytes = length >= 0x100 ? 2 : 1;
            out.write(0x80 | bytes);
            if (bytes == 2) {
                out.write(length >> 8);
            }
        }
        out.write(length);
        out.writeBytes(content.toByteArray());
        return out.toByteArray();
    }
}
