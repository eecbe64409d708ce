// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.protocol;

import java.util.Arrays;
import java.util.random.RandomGenerator;

/**
 * The proof of a controller that it knows the project key of the client that discovers it. The
 * client sends random bytes under its own key; the controller returns a hash of them, under the key
 * that is derived from its PIN. Pure functions. Any thread.
 */
public final class Challenge {
    /** The number of random bytes of a challenge. */
    public static final int LENGTH = 30;

    /** The length of an encrypted challenge, and of a proof, in bytes. */
    public static final int ENCRYPTED_LENGTH = 32;

    private Challenge() {}

    /** Returns the hash of {@code bytes}, which is as long as they are. */
    public static byte[] hash(byte[] bytes) {
        byte[] hash = new byte[bytes.length];
        if (bytes.length == 0) {
            return hash;
        }
        hash[0] = (byte) (bytes[0] ^ bytes[bytes.length - 1]);
        for (int i = 1; i < bytes.length; i++) {
            hash[i] = (byte) ((hash[i - 1] % 13 + 1) * (bytes[i] % 19 + 1));
        }
        return hash;
    }

    /** Returns a new challenge. */
    public static byte[] random(RandomGenerator random) {
        byte[] challenge = new byte[LENGTH];
        random.nextBytes(challenge);
        return challenge;
    }

    /** Encrypts a challenge under the key of the client. */
    public static Bytes encrypt(byte[] challenge, CipherKey own) {
        byte[] encrypted = new byte[CluCipher.encryptedLength(challenge.length)];
        new CluCipher(own).encrypt(challenge, 0, challenge.length, encrypted);
        return Bytes.of(encrypted);
    }

    /**
     * Returns the proof of a controller: random bytes when it does not know the key under which the
     * challenge was encrypted. They are not encrypted, unlike those of the reference, since the
     * padding would let anyone search for the PIN.
     */
    public static Bytes prove(
            Bytes encrypted, CipherKey project, CipherKey initial, RandomGenerator random) {
        byte[] challenge = new byte[ENCRYPTED_LENGTH];
        int length =
                new CluCipher(project)
                        .decrypt(encrypted.toArray(), 0, encrypted.length(), challenge);
        if (length != LENGTH) {
            byte[] none = new byte[ENCRYPTED_LENGTH];
            random.nextBytes(none);
            return Bytes.of(none);
        }
        return proof(Arrays.copyOf(challenge, length), initial);
    }

    /** Returns the proof that a client expects from a controller that knows its project key. */
    public static Bytes proof(byte[] challenge, CipherKey initial) {
        return encrypt(hash(challenge), initial);
    }
}
