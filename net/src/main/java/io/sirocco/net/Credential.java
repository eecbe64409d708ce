// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;

/**
 * A certificate with the key that proves it ours. Immutable.
 *
 * @param chain our certificate first, then those that lead to an authority
 * @param names the hosts that it is for, in lower case, perhaps with {@code *.} in front
 */
public record Credential(List<X509Certificate> chain, PrivateKey key, List<String> names) {
    /** What kind of key it has, as JSSE names it: {@code RSA}, {@code EC}, {@code EdDSA}. */
    public String keyType() {
        return chain.getFirst().getPublicKey().getAlgorithm();
    }

    /**
     * Whether it is for the host {@code bytes[from..to)}, in whatever case: by an exact name, or by
     * a wildcard for its first label (RFC 9525 6.3).
     */
    boolean covers(byte[] bytes, int from, int to) {
        for (int i = 0, n = names.size(); i < n; i++) {
            String name = names.get(i);
            int at = from;
            int skipped = 0;
            if (name.startsWith("*.")) {
                while (at < to && bytes[at] != '.') {
                    at++;
                }
                skipped = at > from ? 1 : 0;
            }
            if (is(name, skipped, bytes, at, to)) {
                return true;
            }
        }
        return false;
    }

    /** Whether {@code name}, in lower case, from {@code skipped} on is these bytes. */
    static boolean is(String name, int skipped, byte[] bytes, int from, int to) {
        if (name.length() - skipped != to - from) {
            return false;
        }
        for (int i = from; i < to; i++) {
            int c = bytes[i] >= 'A' && bytes[i] <= 'Z' ? bytes[i] | 0x20 : bytes[i];
            if (c != name.charAt(skipped + i - from)) {
                return false;
            }
        }
        return true;
    }

    /** Whether no authority vouches for it: a client that accepts it knows it by other means. */
    boolean selfSigned() {
        X509Certificate own = chain.getFirst();
        return own.getSubjectX500Principal().equals(own.getIssuerX500Principal());
    }
}
