// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.protocol;

import java.util.HexFormat;
import java.util.random.RandomGenerator;

/**
 * A key of AES-128 and the initialization vector that is stored and sent with it. Immutable.
 *
 * @param key 16 bytes
 * @param iv 16 bytes
 */
public record CipherKey(Bytes key, Bytes iv) {
    /** The length of a key and of an initialization vector, in bytes. */
    public static final int LENGTH = 16;

    /** The length of the private key that is printed on a device, in ASCII characters. */
    public static final int PIN_LENGTH = 8;

    /** The public key of all devices, under which they are discovered. */
    private static final Bytes GRENTON_KEY = hex("85de521e9c65d0de7e5845d35e53d09b");

    private static final Bytes BROADCAST_IV = hex("07060504030201000402090304010507");

    /** Input of the derivation of {@link #initial}; encrypts nothing itself. */
    private static final Bytes DEFAULT_IV = hex("b9afe387f919a3d3a0d79ade8e11a116");

    /** Encrypts discovery requests. It is no secret. */
    public static final CipherKey BROADCAST = grenton(BROADCAST_IV);

    /**
     * Checks the lengths.
     *
     * @throws IllegalArgumentException when one is not 16 bytes
     */
    public CipherKey {
        if (key.length() != LENGTH || iv.length() != LENGTH) {
            throw new IllegalArgumentException("a key and its IV have 16 bytes each");
        }
    }

    /** Returns the public key of all devices with {@code iv}: it encrypts discovery responses. */
    public static CipherKey grenton(Bytes iv) {
        return new CipherKey(GRENTON_KEY, iv);
    }

    /**
     * Derives the key of a device that has no project key yet.
     *
     * @param pin the eight ASCII characters on the device
     * @param cluIv the initialization vector that its discovery response names
     * @throws IllegalArgumentException when {@code pin} is anything else
     */
    public static CipherKey initial(String pin, Bytes cluIv) {
        if (pin.length() != PIN_LENGTH || pin.chars().anyMatch(c -> c > 0x7f)) {
            throw new IllegalArgumentException("a PIN has eight ASCII characters");
        }
        byte[] key = DEFAULT_IV.toArray();
        for (int i = 0; i < PIN_LENGTH; i++) {
            key[i] ^= (byte) pin.charAt(i);
            key[LENGTH - 1 - i] ^= (byte) pin.charAt(i);
        }
        return new CipherKey(Bytes.of(key), cluIv);
    }

    /** Returns a new project key. */
    public static CipherKey random(RandomGenerator random) {
        byte[] both = new byte[2 * LENGTH];
        random.nextBytes(both);
        return new CipherKey(Bytes.of(both, 0, LENGTH), Bytes.of(both, LENGTH, 2 * LENGTH));
    }

    /** Never shows the secret. */
    @Override
    public String toString() {
        return this.key.equals(GRENTON_KEY) ? "the Grenton key" : "a secret key";
    }

    private static Bytes hex(String digits) {
        return Bytes.of(HexFormat.of().parseHex(digits));
    }
}
