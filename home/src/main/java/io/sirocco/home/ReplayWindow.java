// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

/**
 * The last requests of a controller, so that a recorded one has no effect when it is sent again.
 * The protocol has no sequence numbers, but the session of a request is random: two equal datagrams
 * are one and its copy. A copy is recognised until {@link #SIZE} other requests have come, and not
 * after a restart. {@link RecentHosts} is about requests without a session. Used by one thread.
 */
final class ReplayWindow {
    /** How many requests are remembered: 1.5 MiB. */
    static final int SIZE = 1 << 16;

    private static final int SLOTS = 2 * SIZE;
    private static final int BLOCK = 16;

    private final long[] ring = new long[SIZE]; // in their order; 0 where there is none yet
    private final long[] table = new long[SLOTS]; // the same, found by its value: linear probing
    private int next;

    /** Notes a datagram; returns false if it was noted before. */
    boolean isNew(byte[] bytes, int length) {
        long digest = digest(bytes, length);
        if (table[slot(digest)] == digest) {
            return false;
        }
        if (ring[next] != 0) {
            remove(ring[next]);
        }
        table[slot(digest)] = digest; // after the removal, which moves entries
        ring[next] = digest;
        next = (next + 1) % SIZE;
        return true;
    }

    /** The last block of a ciphertext in CBC mode depends on all that is before it. */
    private static long digest(byte[] bytes, int length) {
        long digest = 0;
        for (int i = length - BLOCK; i < length - BLOCK / 2; i++) {
            digest = digest << 8 | bytes[i] & 0xff;
        }
        return digest == 0 ? 1 : digest;
    }

    /** Returns where a value is, or the free slot for it. */
    private int slot(long digest) {
        int slot = home(digest);
        while (table[slot] != 0 && table[slot] != digest) {
            slot = (slot + 1) % SLOTS;
        }
        return slot;
    }

    private static int home(long digest) {
        return (int) (digest >>> 8) & SLOTS - 1;
    }

    /** Frees the slot, and moves those behind that would not be found past it (Knuth 6.4, R). */
    private void remove(long digest) {
        int hole = slot(digest);
        int at = hole;
        while (true) {
            at = (at + 1) % SLOTS;
            long moved = table[at];
            if (moved == 0) {
                table[hole] = 0;
                return;
            }
            int distance = Math.floorMod(at - home(moved), SLOTS);
            if (distance >= Math.floorMod(at - hole, SLOTS)) {
                table[hole] = moved;
                hole = at;
            }
        }
    }
}
