// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.protocol;

import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Encrypts and decrypts whole datagrams under one key: AES-128 in CBC mode with the constant
 * initialization vector of the key, and the padding of PKCS #7 (RFC 5652 6.3).
 *
 * <p>The padding is added and checked here, so that the JDK neither throws an exception for each
 * datagram under another key nor takes a time that tells what was wrong with it. A call allocates
 * nothing once the buffer has grown to the longest datagram. Used by one thread.
 */
public final class CluCipher {
    private static final int BLOCK = 16;

    private final Cipher encryption;
    private final Cipher decryption;
    private byte[] padded = new byte[512];

    /** Prepares the key, once. */
    public CluCipher(CipherKey key) {
        encryption = cipher(Cipher.ENCRYPT_MODE, key);
        decryption = cipher(Cipher.DECRYPT_MODE, key);
    }

    private static Cipher cipher(int mode, CipherKey key) {
        try {
            Cipher cipher = Cipher.getInstance("AES/CBC/NoPadding");
            cipher.init(
                    mode,
                    new SecretKeySpec(key.key().toArray(), "AES"),
                    new IvParameterSpec(key.iv().toArray()));
            return cipher;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has AES", e);
        }
    }

    /** Returns the length of the ciphertext of {@code length} bytes: the next multiple of 16. */
    public static int encryptedLength(int length) {
        return length + BLOCK - length % BLOCK;
    }

    /**
     * Encrypts {@code in[offset..offset + length)} into {@code out}, which may be {@code in}.
     *
     * @return how many bytes {@code out} now begins with
     * @throws IllegalArgumentException when {@code out} is shorter than {@link #encryptedLength}
     */
    public int encrypt(byte[] in, int offset, int length, byte[] out) {
        int total = encryptedLength(length);
        if (padded.length < total) {
            padded = new byte[Math.max(total, 2 * padded.length)];
        }
        System.arraycopy(in, offset, padded, 0, length);
        Arrays.fill(padded, length, total, (byte) (total - length));
        return run(encryption, padded, 0, total, out);
    }

    /**
     * Decrypts {@code in[offset..offset + length)} into {@code out}, another array.
     *
     * @return how many bytes of plaintext {@code out} now begins with; -1 when the datagram is not
     *     for this key: its length or its padding is wrong, and {@code out} holds garbage
     * @throws IllegalArgumentException when {@code out} is shorter than {@code length}
     */
    public int decrypt(byte[] in, int offset, int length, byte[] out) {
        if (length <= 0 || length % BLOCK != 0) {
            return -1;
        }
        run(decryption, in, offset, length, out);
        return unpadded(out, length);
    }

    /** Looks at all bytes of the last block, whatever they are. */
    private static int unpadded(byte[] bytes, int length) {
        int padding = bytes[length - 1] & 0xff;
        int wrong = padding - 1 >>> 31 | BLOCK - padding >>> 31; // 1 if it is not from 1 to 16
        for (int i = 0; i < BLOCK; i++) {
            int inPadding = i - padding >> 31; // all ones while i < padding
            wrong |= inPadding & (bytes[length - 1 - i] ^ padding) & 0xff;
        }
        return wrong == 0 ? length - padding : -1;
    }

    /** doFinal returns the cipher to the state after its initialization, with the same IV. */
    private static int run(Cipher cipher, byte[] in, int offset, int length, byte[] out) {
        try {
            return cipher.doFinal(in, offset, length, out, 0);
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("the output is too short", e);
        }
    }
}
