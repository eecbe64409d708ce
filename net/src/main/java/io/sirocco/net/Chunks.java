// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;

/**
 * The write memory of one loop: chunks of 16 KiB, and of 64 KiB for what is long, handed out
 * last-in first-out so that the warm ones go first. Grows by a block when it runs dry and never
 * shrinks while the loop lives; what bounds it is that each connection holds one chunk per unsent
 * response and stops reading beyond its high-water mark. Loop-confined.
 */
final class Chunks {
    static final int SIZE = 16 << 10;
    static final int LONG = 64 << 10;
    private static final int BLOCK = 256 << 10;
    private static final int MOST_QUEUES =
            1024; // that are kept; few have something to send at once

    private final Arena arena;
    private Chunk free;
    private Chunk freeLong;
    private long total;
    private int lent;
    private Chunk discard;
    private final ArrayDeque<ChunkQueue> queues = new ArrayDeque<>(); // empty ones

    Chunks(Arena arena) {
        this.arena = arena;
    }

    Chunk take() {
        if (free == null) {
            free = grow(SIZE);
        }
        Chunk chunk = free;
        free = chunk.next;
        return lent(chunk);
    }

    /** One for {@code bytes} that are at hand: with room for all of them where that is possible. */
    Chunk take(long bytes) {
        if (bytes <= SIZE) {
            return take();
        }
        if (freeLong == null) {
            freeLong = grow(LONG);
        }
        Chunk chunk = freeLong;
        freeLong = chunk.next;
        return lent(chunk);
    }

    private Chunk lent(Chunk chunk) {
        chunk.next = null;
        lent++;
        return chunk;
    }

    void give(Chunk chunk) {
        if (chunk.file != null) {
            chunk.file.release();
        }
        if (chunk.array != null || chunk.file != null) {
            return;
        }
        chunk.start = 0;
        chunk.end = 0;
        if (chunk.memory.byteSize() == SIZE) {
            chunk.next = free;
            free = chunk;
        } else {
            chunk.next = freeLong;
            freeLong = chunk;
        }
        lent--;
    }

    /** An empty queue, for who has something to send. */
    ChunkQueue queue() {
        ChunkQueue queue = queues.pollLast();
        return queue == null ? new ChunkQueue(this) : queue;
    }

    /** Takes back a queue that is empty again. */
    void give(ChunkQueue queue) {
        if (queues.size() < MOST_QUEUES) {
            queues.addLast(queue);
        }
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
        return total;
    }

    int lent() {
        return lent;
    }

    /** Chunks of {@code size} bytes, linked. */
    private Chunk grow(int size) {
        MemorySegment block = arena.allocate(BLOCK, 4096);
        Chunk newest = null;
        for (int at = BLOCK - size; at >= 0; at -= size) {
            Chunk chunk = new Chunk(block.asSlice(at, size));
            chunk.next = newest;
            newest = chunk;
        }
        total += BLOCK;
        return newest;
    }
}
