// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.route;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Map;

/**
 * A frozen map whose keys are found in a slice of bytes, without a copy. Open addressing, at most a
 * quarter full: what a client sends is looked up but never stored, so it cannot make chains grow.
 * Immutable.
 */
final class ByteMap<V> {
    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final byte[][] keys;
    private final Object[] values;
    private final int mask;

    ByteMap(Map<String, V> entries) {
        int slots = Integer.highestOneBit(Math.max(1, entries.size())) * 8;
        keys = new byte[slots][];
        values = new Object[slots];
        mask = slots - 1;
        entries.forEach(this::put);
    }

    private void put(String text, V value) {
        byte[] key = text.getBytes(UTF_8);
        int slot = hash(key, 0, key.length) & mask;
        while (keys[slot] != null) {
            slot = slot + 1 & mask;
        }
        keys[slot] = key;
        values[slot] = value;
    }

    /** Returns the value of a key, or null if there is none. */
    @SuppressWarnings("unchecked") // put stores nothing but V
    V get(byte[] bytes, int from, int to) {
        int slot = hash(bytes, from, to) & mask;
        for (byte[] key; (key = keys[slot]) != null; slot = slot + 1 & mask) {
            if (equal(key, bytes, from, to)) {
                return (V) values[slot];
            }
        }
        return null;
    }

    /**
     * Compares word by word, the last one overlapping: keys are short, so that a call to a general
     * routine costs more.
     */
    private static boolean equal(byte[] key, byte[] bytes, int from, int to) {
        int length = to - from;
        if (length != key.length) {
            return false;
        }
        if (length < 8) {
            for (int i = 0; i < length; i++) {
                if (key[i] != bytes[from + i]) {
                    return false;
                }
            }
            return true;
        }
        for (int i = 0; i < length - 8; i += 8) {
            if ((long) LONGS.get(key, i) != (long) LONGS.get(bytes, from + i)) {
                return false;
            }
        }
        return (long) LONGS.get(key, length - 8) == (long) LONGS.get(bytes, to - 8);
    }

    private static int hash(byte[] bytes, int from, int to) {
        long h = to - from;
        if (h >= 8) {
            for (int i = from; i < to - 8; i += 8) {
                h = mix(h, (long) LONGS.get(bytes, i));
            }
            h = mix(h, (long) LONGS.get(bytes, to - 8));
        } else {
            long word = 0;
            for (int i = from; i < to; i++) {
                word = word << 8 | bytes[i] & 0xff;
            }
            h = mix(h, word);
        }
        return (int) (h >>> 32);
    }

    /** The multiplier is 2^64 divided by the golden ratio. */
    private static long mix(long h, long word) {
        long product = (h ^ word) * 0x9e3779b97f4a7c15L;
        return product ^ product >>> 29;
    }
}
