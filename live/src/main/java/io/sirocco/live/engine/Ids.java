// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.engine;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Ids that nobody guesses: 120 bits of SHA-256 over a secret of this process and a counter. {@link
 * SecureRandom} has one lock for all threads, which would delay loops. Any thread.
 */
final class Ids {
    private static final int SECRET_BYTES = 32;
    private static final int ID_BYTES = 15;

    private final MessageDigest begun;
    private final AtomicLong counter = new AtomicLong();

    Ids() {
        byte[] secret = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(secret);
        try {
            begun = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has SHA-256", e);
        }
        begun.update(secret);
    }

    String next() {
        try {
            MessageDigest digest = (MessageDigest) begun.clone();
            digest.update(ByteBuffer.allocate(Long.BYTES).putLong(0, counter.incrementAndGet()));
            byte[] id = Arrays.copyOf(digest.digest(), ID_BYTES);
            return Base64.getUrlEncoder().encodeToString(id);
        } catch (CloneNotSupportedException e) {
            throw new AssertionError("the JDK's own can be cloned", e);
        }
    }
}
