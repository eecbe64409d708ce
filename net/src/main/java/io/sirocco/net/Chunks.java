// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The write memory of one loop: chunks of 16 KiB, handed out last-in first-out so that the warm
 * ones go first. Grows by a block when it runs dry and never shrinks while the loop lives; what
 * bounds it is that each connection holds one chunk per unsent response and stops reading beyond
 * its high-water mark. Loop-confined.
 */
final class Chunks {
    static final int SIZE = 16 << 10;
    private static final int PER_BLOCK = 16;

    private final Arena arena;
    private Chunk free;
    private int total;
    private int lent;
    private Chunk discard;

    Chunks(Arena arena) {
        this.arena = arena;
    }

    Chunk take() {
        if (free == null) {
            grow();
        }
        Chunk chunk = free;
        free = chunk.next;
        chunk.next = null;
        lent++;
        return chunk;
    }

    void give(Chunk chunk) {
        if (chunk.array != null) {
            return;
        }
        chunk.start = 0;
        chunk.end = 0;
        chunk.next = free;
        free = chunk;
        lent--;
    }

    /** A chunk whose content goes nowhere, for what is written to a connection that is closing. */
    Chunk discard() {
        if (discard == null) {
            discard = new Chunk(arena.allocate(SIZE));
        }
        discard.end = 0;
        return discard;
    }

    /** Bytes of all chunks, lent or not. */
    long bytes() {
        return (long) total * SIZE;
    }

    int lent() {
        return lent;
    }

    private void grow() {
        MemorySegment block = arena.allocate((long) PER_BLOCK * SIZE, 4096);
        for (int i = PER_BLOCK - 1; i >= 0; i--) {
            Chunk chunk = new Chunk(block.asSlice((long) i * SIZE, SIZE));
            chunk.next = free;
            free = chunk;
        }
        total += PER_BLOCK;
    }
}
