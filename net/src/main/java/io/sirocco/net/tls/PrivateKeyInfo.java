// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.tls;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Puts a bare key into the envelope that the JDK reads (PKCS#8, RFC 5208 5):
 *
 * <pre>
 *   PrivateKeyInfo ::= SEQUENCE {
 *     version     INTEGER 0,
 *     algorithm   SEQUENCE { OBJECT IDENTIFIER, parameters },
 *     privateKey  OCTET STRING }                                 the bare key
 * </pre>
 *
 * Immutable.
 */
final class PrivateKeyInfo {
    private static final int SEQUENCE = 0x30;
    private static final int OCTETS = 0x04;
    private static final int OBJECT = 0x06;
    private static final int PARAMETERS = 0xA0; // [0], in SEC1
    private static final byte[] VERSION = {2, 1, 0};

    /** 1.2.840.113549.1.1.1, no parameters. */
    private static final byte[] RSA = HexFormat.of().parseHex("06092a864886f70d0101010500");

    /** 1.2.840.10045.2.1; its parameters say which curve. */
    private static final byte[] EC = HexFormat.of().parseHex("06072a8648ce3d0201");

    private PrivateKeyInfo() {}

    /** Of an {@code RSAPrivateKey} (RFC 8017 A.1.2). */
    public static byte[] ofPkcs1(byte[] key) {
        return wrap(RSA, key);
    }

    /**
     * Of an {@code ECPrivateKey} (RFC 5915 3), which names its curve itself.
     *
     * @throws IllegalArgumentException when it does not, or is cut off
     */
    public static byte[] ofSec1(byte[] key) {
        var in = new Reader(key);
        in.enter(SEQUENCE);
        in.skip(); // version
        in.skip(); // the secret
        if (!in.at(PARAMETERS)) {
            throw new IllegalArgumentException("it does not name its curve");
        }
        in.enter(PARAMETERS);
        if (!in.at(OBJECT)) {
            throw new IllegalArgumentException("its curve has no name");
        }
        return wrap(concat(EC, in.skip()), key);
    }

    private static byte[] wrap(byte[] algorithm, byte[] key) {
        return element(
                SEQUENCE, concat(VERSION, element(SEQUENCE, algorithm), element(OCTETS, key)));
    }

    /** Tag, length, content (X.690 8.1). */
    private static byte[] element(int tag, byte[] content) {
        int n = content.length;
        byte[] head =
                n < 0x80
                        ? new byte[] {(byte) tag, (byte) n}
                        : new byte[] {(byte) tag, (byte) 0x82, (byte) (n >> 8), (byte) n};
        return concat(head, content);
    }

    private static byte[] concat(byte[]... parts) {
        var all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    /** Walks over elements. */
    private static final class Reader {
        private final byte[] bytes;
        private int at;

        Reader(byte[] bytes) {
            this.bytes = bytes;
        }

        boolean at(int tag) {
            return at < bytes.length && (bytes[at] & 0xFF) == tag;
        }

        void enter(int tag) {
            if (!at(tag)) {
                throw cutOff();
            }
            head();
        }

        /** The whole element, which is passed. */
        byte[] skip() {
            int from = at;
            int length = head();
            at += length;
            return Arrays.copyOfRange(bytes, from, at);
        }

        /** Passes tag and length; answers the length. */
        private int head() {
            at++;
            int first = next();
            int length = first;
            if (first >= 0x80) {
                length = 0;
                for (int i = first & 0x7F; i > 0 && length < bytes.length; i--) {
                    length = length << 8 | next();
                }
            }
            if (length < 0 || length > bytes.length - at) {
                throw cutOff();
            }
            return length;
        }

        private int next() {
            if (at >= bytes.length) {
                throw cutOff();
            }
            return bytes[at++] & 0xFF;
        }

        private static IllegalArgumentException cutOff() {
            return new IllegalArgumentException("it is cut off, or no key at all");
        }
    }
}
