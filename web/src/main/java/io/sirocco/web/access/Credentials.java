// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.Base64;

/**
 * The content of {@code Authorization: Basic ...} (RFC 7617 2). Immutable, but for the bytes.
 *
 * @param password the bytes that were sent, UTF-8 if the client does as our challenge says
 */
record Credentials(String name, byte[] password) {

    /** Reads the value of the field; null when it is not of this scheme or malformed. */
    static Credentials parse(String field) {
        if (!field.regionMatches(true, 0, "Basic ", 0, 6)) {
            return null;
        }
        byte[] plain;
        try {
            plain = Base64.getDecoder().decode(field.substring(6).strip().getBytes(ISO_8859_1));
        } catch (IllegalArgumentException e) {
            return null;
        }
        int colon = -1;
        for (int i = 0; i < plain.length; i++) {
            if (plain[i] >= 0 && plain[i] < ' ' || plain[i] == 0x7f) {
                return null; // control characters: bcrypt would stop at a NUL
            }
            if (plain[i] == ':' && colon < 0) {
                colon = i;
            }
        }
        return colon < 0
                ? null
                : new Credentials(
                        new String(plain, 0, colon, UTF_8),
                        Arrays.copyOfRange(plain, colon + 1, plain.length));
    }
}
