// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;

/**
 * A certificate and its private key. Immutable.
 *
 * @param chain our certificate first, then the ones that lead to an authority
 * @param key the private key of the first certificate
 * @param names the hosts that the certificate is for, in lower case; the first label may be {@code
 *     *}
 */
public record Credential(List<X509Certificate> chain, PrivateKey key, List<String> names) {
    /** Returns the kind of its key, as JSSE names it: {@code RSA}, {@code EC}, {@code EdDSA}. */
    public String keyType() {
        return chain.getFirst().getPublicKey().getAlgorithm();
    }

    /**
     * Returns whether it is for the host {@code bytes[from..to)}, in any case: by an exact name, or
     * by a wildcard for the first label (RFC 9525 6.3).
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

    /** Returns whether {@code name}, in lower case, equals these bytes from {@code skipped} on. */
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

    /**
     * Returns whether it is self-signed: a client that accepts it knows it by other means than an
     * authority.
     */
    boolean selfSigned() {
        X509Certificate own = chain.getFirst();
        return own.getSubjectX500Principal().equals(own.getIssuerX500Principal());
    }
}
