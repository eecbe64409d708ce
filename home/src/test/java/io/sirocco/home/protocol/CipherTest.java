// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.protocol;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import javax.crypto.BadPaddingException;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/** Keys, the cipher, and the JDK's own padding as its reference. */
class CipherTest {
    private final Random random = new Random(42);
    private final CipherKey key = CipherKey.random(random);
    private final CluCipher cipher = new CluCipher(key);

    private Cipher reference(int mode) throws Exception {
        Cipher reference = Cipher.getInstance("AES/CBC/PKCS5Padding");
        reference.init(
                mode,
                new SecretKeySpec(key.key().toArray(), "AES"),
                new IvParameterSpec(key.iv().toArray()));
        return reference;
    }

    @Test
    void everyLengthEncryptsAsTheJdkDoes() throws Exception {
        Cipher reference = reference(Cipher.ENCRYPT_MODE);
        for (int length = 0; length <= 2100; length++) {
            byte[] plain = new byte[length + 3];
            random.nextBytes(plain);
            byte[] sent = new byte[CluCipher.encryptedLength(length)];
            assertEquals(sent.length, cipher.encrypt(plain, 3, length, sent));
            assertArrayEquals(reference.doFinal(plain, 3, length), sent);
            byte[] received = new byte[sent.length];
            assertEquals(length, cipher.decrypt(sent, 0, sent.length, received));
            assertArrayEquals(
                    Arrays.copyOfRange(plain, 3, plain.length), Arrays.copyOf(received, length));
        }
    }

    @Test
    void paddingIsAcceptedExactlyWhenTheJdkAcceptsIt() throws Exception {
        Cipher raw = Cipher.getInstance("AES/CBC/NoPadding");
        raw.init(
                Cipher.ENCRYPT_MODE,
                new SecretKeySpec(key.key().toArray(), "AES"),
                new IvParameterSpec(key.iv().toArray()));
        Cipher reference = reference(Cipher.DECRYPT_MODE);
        int accepted = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] plain = new byte[32];
            random.nextBytes(plain);
            int padding = random.nextInt(20);
            Arrays.fill(plain, 32 - padding, 32, (byte) padding);
            if (random.nextBoolean()) {
                plain[31 - random.nextInt(17)] ^= (byte) (1 << random.nextInt(8));
            }
            byte[] sent = raw.doFinal(plain);
            int expected;
            try {
                expected = reference.doFinal(sent).length;
                accepted++;
            } catch (BadPaddingException e) {
                expected = -1;
            }
            assertEquals(
                    expected,
                    cipher.decrypt(sent, 0, 32, new byte[32]),
                    () -> HexFormat.of().formatHex(plain));
        }
        assertTrue(accepted > 5_000);
    }

    @Test
    void aWrongLengthIsForAnotherKey() {
        for (int length : new int[] {0, 1, 15, 17, 31, 33, 2047}) {
            assertEquals(-1, cipher.decrypt(new byte[2048], 0, length, new byte[2048]));
        }
    }

    /** One in 256 passes: a controller that responds to those is an oracle. */
    @Test
    void anotherKeyDecryptsNextToNothing() {
        byte[] sent = new byte[48];
        byte[] received = new byte[48];
        int passed = 0;
        for (int i = 0; i < 10_000; i++) {
            random.nextBytes(sent);
            if (cipher.decrypt(sent, 0, 48, received) >= 0) {
                passed++;
            }
        }
        assertTrue(passed < 100, "" + passed);
    }

    @Test
    void anOutputThatIsTooShort() {
        assertThrows(
                IllegalArgumentException.class,
                () -> cipher.encrypt(new byte[16], 0, 16, new byte[31]));
    }

    @Test
    void encryptsInPlace() {
        byte[] plain = new byte[64];
        random.nextBytes(plain);
        byte[] both = plain.clone();
        byte[] apart = new byte[64];
        cipher.encrypt(plain, 0, 40, apart);
        cipher.encrypt(both, 0, 40, both);
        assertArrayEquals(Arrays.copyOf(apart, 48), Arrays.copyOf(both, 48));
    }

    @Test
    void aDatagramAllocatesNothing() {
        byte[] plain = new byte[40];
        byte[] sent = new byte[48];
        byte[] received = new byte[48];
        var bean = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long best = Long.MAX_VALUE;
        for (int round = 0; round < 10; round++) {
            long before = bean.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 1_000; i++) {
                cipher.encrypt(plain, 0, 40, sent);
                cipher.decrypt(sent, 0, 48, received);
            }
            best = Math.min(best, bean.getCurrentThreadAllocatedBytes() - before);
        }
        assertTrue(best < 10_000, best + " bytes for 1,000 datagrams each way");
    }

    @Test
    void keysAreValuesThatNeverShowTheirSecret() {
        assertEquals(key, new CipherKey(key.key(), key.iv()));
        assertEquals(key.hashCode(), new CipherKey(key.key(), key.iv()).hashCode());
        assertNotEquals(key, CipherKey.random(random));
        assertEquals("a secret key", key.toString());
        assertEquals("the Grenton key", CipherKey.BROADCAST.toString());
        String shown = new Request.SetKey(Bytes.of(new byte[32]), key).toString();
        assertFalse(shown.contains(HexFormat.of().formatHex(key.key().toArray())), shown);
        byte[] secret = key.key().toArray();
        secret[0]++;
        assertNotEquals(Bytes.of(secret), key.key());
    }

    @Test
    void aKeyOfAnotherLength() {
        Bytes short15 = Bytes.of(new byte[15]);
        assertThrows(IllegalArgumentException.class, () -> new CipherKey(short15, key.iv()));
        assertThrows(IllegalArgumentException.class, () -> new CipherKey(key.key(), short15));
        for (String pin : new String[] {"", "0000000", "000000000", "0000000\u00e9"}) {
            var thrown =
                    assertThrows(
                            IllegalArgumentException.class, () -> CipherKey.initial(pin, key.iv()));
            assertFalse(thrown.getMessage().contains("0000"), thrown.getMessage());
        }
    }

    @Test
    void aProofUnderAnotherKeyIsRandom() {
        Bytes challenge = Challenge.encrypt(Challenge.random(random), CipherKey.random(random));
        Bytes one = Challenge.prove(challenge, key, key, random);
        Bytes other = Challenge.prove(challenge, key, key, random);
        assertEquals(Challenge.ENCRYPTED_LENGTH, one.length());
        assertNotEquals(one, other);
    }

    /** With the padding of a proof, anyone could search for the PIN: it has 32 bits. */
    @Test
    void aProofUnderAnotherKeyDoesNotRevealThePin() {
        var cipher = new CluCipher(key);
        int decrypted = 0;
        for (int i = 0; i < 100; i++) {
            Bytes challenge = Challenge.encrypt(Challenge.random(random), CipherKey.random(random));
            byte[] proof =
                    Challenge.prove(challenge, CipherKey.random(random), key, random).toArray();
            byte[] plaintext = new byte[proof.length];
            decrypted += cipher.decrypt(proof, 0, proof.length, plaintext) < 0 ? 0 : 1;
        }
        assertTrue(decrypted < 10, () -> "the PIN decrypts the proofs");
    }
}
