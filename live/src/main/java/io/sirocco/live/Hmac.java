// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/**
 * HMAC-SHA-256 (RFC 2104) with one key, which is reckoned in once and not for each message. The
 * JDK's {@code Mac} looks for a provider each time, and the first one starts all of JCE: with many
 * who connect at once that was the larger part of a ticket. Any thread.
 */
final class Hmac {
    private static final int BLOCK = 64;

    private final MessageDigest inner; // with the key; copied for each message
    private final MessageDigest outer;

    Hmac(byte[] key) {
        byte[] block = Arrays.copyOf(key.length > BLOCK ? sha256().digest(key) : key, BLOCK);
        inner = begun(block, 0x36);
        outer = begun(block, 0x5c);
    }

    private static MessageDigest begun(byte[] block, int pad) {
        byte[] padded = block.clone();
        for (int i = 0; i < BLOCK; i++) {
            padded[i] ^= (byte) pad;
        }
        MessageDigest digest = sha256();
        digest.update(padded);
        return digest;
    }

    /** The signature of a message, 32 bytes. */
    byte[] sign(byte[] message) {
        try {
            byte[] first = ((MessageDigest) inner.clone()).digest(message);
            return ((MessageDigest) outer.clone()).digest(first);
        } catch (CloneNotSupportedException e) {
            throw new AssertionError("the JDK's own can be cloned", e);
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has SHA-256", e);
        }
    }
}
