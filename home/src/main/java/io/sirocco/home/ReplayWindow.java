// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The last requests of a controller, so that a recorded one has no effect when it is sent again.
 * The protocol has no sequence numbers, but the session of a request is random: two equal datagrams
 * are one and its copy. A copy is recognised until {@link #SIZE} other requests have come, also
 * after a restart if there is a {@link ReplayFile}. {@link RecentHosts} is about requests without a
 * session. Used by one thread.
 */
final class ReplayWindow implements AutoCloseable {
    /** How many requests are remembered: 8 MiB, and 4 MiB of the file. */
    static final int SIZE = (1 << 18) - 1;

    private static final int BLOCK = 16;

    /**
     * Entries in their order; the one at {@code next} is empty, so that the file needs no pointer.
     */
    private final ByteBuffer ring = ByteBuffer.allocateDirect((SIZE + 1) * ReplayFile.ENTRY);

    private final Positions ends = new Positions(0);
    private final Positions sessions = new Positions(Long.BYTES);
    private final ReplayFile file; // null: in memory only
    private int next;
    private int unwritten; // entries up to next that are not in the file

    /**
     * @param file keeps the entries across restarts; null for none
     */
    ReplayWindow(ReplayFile file) {
        this.file = file;
        if (file != null) {
            next = file.read(ring);
            clear(next); // the oldest, if the process ended before it had made room
            for (int i = 0; i <= SIZE; i++) {
                int position = (next + i) % (SIZE + 1); // the oldest first
                ends.add(position);
                sessions.add(position);
            }
        }
    }

    /**
     * Notes a datagram without a session; returns false if it was noted before.
     *
     * @see #write
     */
    boolean isNew(byte[] bytes, int length) {
        return isNew(bytes, length, 0);
    }

    /**
     * Notes a datagram; returns false if it was noted before.
     *
     * @param session what names the host and its session; 0 for none
     * @see #write
     */
    boolean isNew(byte[] bytes, int length, long session) {
        long end = end(bytes, length);
        if (ends.contains(end)) {
            return false;
        }
        ring.putLong(next * ReplayFile.ENTRY, end);
        ring.putLong(next * ReplayFile.ENTRY + Long.BYTES, session);
        ends.add(next);
        sessions.add(next);
        next = (next + 1) % (SIZE + 1);
        ends.remove(next);
        sessions.remove(next);
        clear(next);
        unwritten = Math.min(unwritten + 1, SIZE);
        return true;
    }

    private void clear(int position) {
        ring.putLong(position * ReplayFile.ENTRY, 0);
        ring.putLong(position * ReplayFile.ENTRY + Long.BYTES, 0);
    }

    /** Returns whether a request with that session was noted. */
    boolean hasSession(long session) {
        return session != 0 && sessions.contains(session);
    }

    /**
     * Writes what {@link #isNew} has noted since the last call to the file: from now on it survives
     * the end of the process, however that comes.
     */
    void write() {
        if (file != null && unwritten > 0) {
            int first = Math.floorMod(next - unwritten, SIZE + 1);
            if (file.write(ring, first, unwritten + 1)) {
                unwritten = 0;
            }
        }
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }

    /**
     * The last block of a ciphertext in CBC mode depends on all that is before it; a block that is
     * changed on the way changes no later one.
     */
    private static long end(byte[] bytes, int length) {
        long end = 0;
        for (int i = length - BLOCK; i < length - BLOCK / 2; i++) {
            end = end << 8 | bytes[i] & 0xff;
        }
        return end == 0 ? 1 : end;
    }

    /**
     * Finds the position of an entry in the ring by one of its two numbers; of several with the
     * same number the last. A hash table with linear probing.
     */
    private final class Positions {
        private static final int SLOTS = 2 * (SIZE + 1); // a power of two
        private static final int BITS = Integer.numberOfTrailingZeros(SLOTS);

        private final int[] slots = new int[SLOTS]; // a position + 1; 0: free
        private final int offset; // of the number in an entry

        Positions(int offset) {
            this.offset = offset;
        }

        private long number(int position) {
            return ring.getLong(position * ReplayFile.ENTRY + offset);
        }

        boolean contains(long number) {
            return slots[slot(number)] != 0;
        }

        /** Adds the entry at a position; an empty one is none. */
        void add(int position) {
            long number = number(position);
            if (number != 0) {
                slots[slot(number)] = position + 1;
            }
        }

        /** Returns where a number is, or the free slot for it. */
        private int slot(long number) {
            int slot = home(number);
            while (slots[slot] != 0 && number(slots[slot] - 1) != number) {
                slot = (slot + 1) % SLOTS;
            }
            return slot;
        }

        private static int home(long number) {
            return (int) (number * 0x9E37_79B9_7F4A_7C15L >>> Long.SIZE - BITS);
        }

        /** Frees a slot, and moves those behind that would not be found past it (Knuth 6.4, R). */
        void remove(int position) {
            long number = number(position);
            int hole = number == 0 ? -1 : slot(number);
            if (hole < 0 || slots[hole] != position + 1) {
                return; // empty, or a later one has its place
            }
            int at = hole;
            while (true) {
                at = (at + 1) % SLOTS;
                int moved = slots[at];
                if (moved == 0) {
                    slots[hole] = 0;
                    return;
                }
                int distance = Math.floorMod(at - home(number(moved - 1)), SLOTS);
                if (distance >= Math.floorMod(at - hole, SLOTS)) {
                    slots[hole] = moved;
                    hole = at;
                }
            }
        }
    }
}
