// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.websocket;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Masks and unmasks payloads, which is the same operation (RFC 6455 5.3), eight bytes at a time.
 * Any thread.
 */
public final class Mask {
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private Mask() {}

    /**
     * Applies {@code key} to {@code bytes[from..to)} in place. {@code phase} is the position of the
     * first byte in the payload, of which only the last two bits count.
     */
    public static void apply(byte[] bytes, int from, int to, int key, long phase) {
        int turned = Integer.rotateLeft(key, 8 * ((int) phase & 3));
        long twice = (long) turned << 32 | turned & 0xffffffffL;
        int at = from;
        for (; to - at >= 8; at += 8) {
            LONG.set(bytes, at, (long) LONG.get(bytes, at) ^ twice);
        }
        for (int shift = 24; at < to; at++, shift = shift - 8 & 31) {
            bytes[at] ^= (byte) (turned >>> shift);
        }
    }
}
