// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.locks;

import java.util.Arrays;

/** Bodies that tell which request they belong to, at each byte. */
public final class Pattern {
    private Pattern() {}

    /** The body of a request or response of this number: 1 to 4096 bytes. */
    public static byte[] of(int id) {
        byte[] body = new byte[1 + (id * 0x9E3779B1 >>> 20)];
        for (int i = 0; i < body.length; i++) {
            body[i] = (byte) ((id + i) * 0x85EBCA6B >>> 24);
        }
        return body;
    }

    /** Fails if {@code body} is not that of this number, byte for byte. */
    public static void check(int id, byte[] body) {
        byte[] expected = of(id);
        int at = Arrays.mismatch(expected, body);
        if (at >= 0) {
            throw new AssertionError(
                    "the body of %d has %d bytes instead of %d, and differs at %d"
                            .formatted(id, body.length, expected.length, at));
        }
    }
}
