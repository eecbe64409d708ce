// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

/** What is looked for in bytes that have just come in. Allocates nothing. Any thread. */
final class Bytes {
    private Bytes() {}

    /** Where {@code sought} begins in {@code b[from..to)}; -1 when it does not. */
    static int find(byte[] b, int from, int to, byte[] sought) {
        for (int p = from; p <= to - sought.length; p++) {
            if (b[p] == sought[0] && begins(b, p, to, sought)) {
                return p;
            }
        }
        return -1;
    }

    /** Whether {@code b[from..to)} begins with {@code sought}. */
    static boolean begins(byte[] b, int from, int to, byte[] sought) {
        if (to - from < sought.length) {
            return false;
        }
        for (int i = 0; i < sought.length; i++) {
            if (b[from + i] != sought[i]) {
                return false;
            }
        }
        return true;
    }

    /** The first position from {@code from} on that holds no digit. */
    static int digits(byte[] b, int from, int to) {
        int p = from;
        while (p < to && b[p] >= '0' && b[p] <= '9') {
            p++;
        }
        return p;
    }

    /** The number in {@code b[from..to)}; -1 when that is none, or it has more than 18 digits. */
    static long number(byte[] b, int from, int to) {
        if (from == to || to - from > 18) {
            return -1;
        }
        long value = 0;
        for (int p = from; p < to; p++) {
            value = value * 10 + b[p] - '0';
        }
        return value;
    }
}
