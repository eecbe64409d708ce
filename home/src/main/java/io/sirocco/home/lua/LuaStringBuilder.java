// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import java.util.Arrays;
import org.luaj.vm2.LuaString;

/** A string that grows up to the limit. Used by one thread, that of the scripts. */
final class LuaStringBuilder {
    private final LimitHook limits;
    private final String what;
    private byte[] bytes;
    private int length;

    /**
     * Creates an empty one.
     *
     * @param what the function that makes the string, for errors
     * @param expected its length, within the limit
     */
    LuaStringBuilder(LimitHook limits, String what, int expected) {
        this.limits = limits;
        this.what = what;
        this.bytes = new byte[Math.max(16, expected)];
    }

    /** Adds one byte. */
    void add(int c) {
        if (length == bytes.length) {
            grow(1);
        }
        bytes[length++] = (byte) c;
    }

    /** Adds a part of a string. */
    void add(LuaString text, int from, int to) {
        int more = to - from;
        if (more > bytes.length - length) {
            grow(more);
        }
        text.copyInto(from, bytes, length, more);
        length += more;
        if (more > 1_024) {
            limits.spend(more >> 6);
        }
    }

    private void grow(int more) {
        long needed = length + (long) more;
        limits.allow(needed, what);
        long room = Math.min(Math.max(bytes.length * 2L, needed), limits.longestString());
        bytes = Arrays.copyOf(bytes, (int) room);
    }

    LuaString string() {
        return LuaString.valueOf(bytes, 0, length);
    }
}
