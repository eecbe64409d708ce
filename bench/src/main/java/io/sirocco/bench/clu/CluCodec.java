// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.clu;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Requests and responses of the CLU protocol: {@code req:HOST:SESSION:SCRIPT} and {@code
 * resp:CLU:SESSION:VALUE}, AES-128-CBC with a constant IV. Used by one thread.
 */
final class CluCodec {
    private static final int MAX_DATAGRAM = 65_536;
    private static final byte[] DIGITS = "0123456789abcdef".getBytes(UTF_8);

    private final Cipher encryption;
    private final Cipher decryption;
    private final byte[] request;
    private final int session; // where it begins in the request
    private final byte[] sealed;
    private final byte[] opened = new byte[MAX_DATAGRAM];

    CluCodec(CluPlan plan, String host) {
        try {
            var key = new SecretKeySpec(plan.key(), "AES");
            var iv = new IvParameterSpec(plan.iv());
            encryption = Cipher.getInstance("AES/CBC/PKCS5Padding");
            encryption.init(Cipher.ENCRYPT_MODE, key, iv);
            decryption = Cipher.getInstance("AES/CBC/PKCS5Padding");
            decryption.init(Cipher.DECRYPT_MODE, key, iv);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM has no AES", e);
        }
        String before = "req:" + host + ":";
        session = before.length();
        request = (before + "00000000:" + plan.script() + "\r\n").getBytes(UTF_8);
        sealed = new byte[request.length + 16];
    }

    /** Returns the buffer that {@link #seal} writes to. */
    byte[] sealed() {
        return sealed;
    }

    /** Encrypts a request, and returns its length. */
    int seal(int number) {
        for (int i = 0; i < 8; i++) {
            request[session + i] = DIGITS[number >>> 28 - 4 * i & 15];
        }
        try {
            return encryption.doFinal(request, 0, request.length, sealed, 0);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("cannot encrypt", e);
        }
    }

    /** Returns the value in a response to request {@code number}; null for any other datagram. */
    byte[] open(byte[] bytes, int length, int number) {
        int size;
        try {
            size = decryption.doFinal(bytes, 0, length, opened, 0);
        } catch (GeneralSecurityException e) {
            return null;
        }
        int colon = 4;
        if (size < 5 || opened[0] != 'r' || opened[3] != 'p' || opened[colon] != ':') {
            return null;
        }
        do {
            colon++;
        } while (colon < size && opened[colon] != ':');
        int value = colon + 1 + 8 + 1;
        if (value > size || opened[value - 1] != ':' || !isSession(colon + 1, number)) {
            return null;
        }
        return Arrays.copyOfRange(opened, value, size);
    }

    private boolean isSession(int at, int number) {
        for (int i = 0; i < 8; i++) {
            if (Character.digit(opened[at + i], 16) != (number >>> 28 - 4 * i & 15)) {
                return false;
            }
        }
        return true;
    }
}
