// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * HMAC-SHA256 of a name and a password with a key that each process draws anew: stands for them in
 * memory without giving them away. Immutable.
 */
record Fingerprint(long a, long b, long c, long d) {
    private static final Mac KEYED = keyed();

    private static Mac keyed() {
        byte[] key = new byte[32];
        new SecureRandom().nextBytes(key);
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac;
        } catch (GeneralSecurityException e) {
            throw new AssertionError("every JDK has HmacSHA256", e);
        }
    }

    static Fingerprint of(Credentials given) {
        try {
            Mac mac = (Mac) KEYED.clone();
            mac.update(given.name().getBytes(UTF_8));
            mac.update((byte) 0); // neither has one
            ByteBuffer digest = ByteBuffer.wrap(mac.doFinal(given.password()));
            return new Fingerprint(
                    digest.getLong(), digest.getLong(), digest.getLong(), digest.getLong());
        } catch (CloneNotSupportedException e) {
            throw new AssertionError("that of the JDK can be cloned", e);
        }
    }
}
