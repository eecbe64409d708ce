// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.websocket;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Validates UTF-8 (RFC 3629) incrementally; rejects at the first byte that cannot be valid. Any
 * thread.
 */
final class Utf8 {
    /** The state between two characters, where text begins and must end. */
    public static final int BOUNDARY = 0;

    /** The state of invalid UTF-8. */
    public static final int BAD = -1;

    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final long HIGH_BITS = 0x8080808080808080L;

    // A state within a character: how many bytes are to come, and the range of the next one.
    private static final int ANY = 0x80bf;
    private static final int ONE = 1 << 16 | ANY;
    private static final int TWO = 2 << 16 | ANY;
    private static final int THREE = 3 << 16 | ANY;

    private Utf8() {}

    /** Returns the state after {@code bytes[from..to)}. */
    static int check(int state, byte[] bytes, int from, int to) {
        int now = state;
        int at = from;
        while (at < to) {
            if (now == BOUNDARY) {
                while (to - at >= 8 && ((long) LONG.get(bytes, at) & HIGH_BITS) == 0) {
                    at += 8;
                }
                while (at < to && bytes[at] >= 0) {
                    at++;
                }
                if (at < to) {
                    now = begin(bytes[at++] & 0xff);
                }
            } else {
                int next = bytes[at++] & 0xff;
                boolean fits = next >= (now >>> 8 & 0xff) && next <= (now & 0xff);
                int left = (now >>> 16) - 1;
                now = !fits ? BAD : left == 0 ? BOUNDARY : left << 16 | ANY;
            }
            if (now == BAD) {
                return BAD;
            }
        }
        return now;
    }

    /** RFC 3629 4: overlong forms, surrogates and what lies beyond U+10FFFF have no first byte. */
    private static int begin(int first) {
        if (first < 0xc2 || first > 0xf4) {
            return BAD;
        }
        if (first < 0xe0) {
            return ONE;
        }
        return switch (first) {
            case 0xe0 -> 2 << 16 | 0xa0bf;
            case 0xed -> 2 << 16 | 0x809f;
            case 0xf0 -> 3 << 16 | 0x90bf;
            case 0xf4 -> 3 << 16 | 0x808f;
            default -> first < 0xf0 ? TWO : THREE;
        };
    }
}
