// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.output;

import io.sirocco.net.MemoryBudget;
import io.sirocco.net.linux.Linux;
import io.sirocco.net.linux.NativeCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * The write memory of one loop: chunks of 16 KiB, and of 64 KiB for long content, handed out
 * last-in first-out so that warm ones go first. It grows by a block when it runs dry, and returns
 * whole blocks some seconds after a peak, or at once when memory is short; the first block of each
 * size stays. All others count in the loop's {@link MemoryBudget}. Loop-confined.
 */
public final class Chunks {
    /** Bytes of a usual chunk. */
    public static final int SIZE = 16 << 10;

    static final int LONG = 64 << 10;
    private static final int BLOCK = 256 << 10;

    private final Arena arena;
    private final MemoryBudget memory;
    private final Runnable whenGrown;
    private final SizeClass usual = new SizeClass(SIZE);
    private final SizeClass large = new SizeClass(LONG);
    private final Map<byte[], Counted> counted = new IdentityHashMap<>();
    private long total;
    private OutputChunk discard;
    private long dropped; // bytes, by all queues; never less than a queue has counted

    /**
     * Memory that is had and given back as a whole. On Linux it is mapped and unmapped: closing a
     * shared arena waits for all threads of the JVM, which takes milliseconds when they are busy,
     * and a loop that is short of memory gives hundreds of blocks back.
     */
    static final class Block {
        private static final boolean MAPS = NativeCalls.work();

        final MemorySegment memory;
        final int size; // of its chunks
        int lent;
        boolean released;
        private final Arena arena; // null where it is mapped

        /** What is mapped is reached for as long as the loop's arena is open. */
        Block(int size, Arena loop) {
            this.size = size;
            this.arena = MAPS ? null : Arena.ofShared();
            this.memory = MAPS ? map(loop) : allocate(arena);
        }

        private static MemorySegment map(Arena loop) {
            long address = Linux.memory(BLOCK);
            if (address < 0) {
                String reason = Linux.reason((int) -address);
                throw new OutOfMemoryError("mmap of write memory: " + reason);
            }
            return MemorySegment.ofAddress(address).reinterpret(BLOCK, loop, null);
        }

        private static MemorySegment allocate(Arena arena) {
            try {
                return arena.allocate(BLOCK, 4096);
            } catch (OutOfMemoryError e) {
                arena.close();
                throw e;
            }
        }

        /** Gives the memory back. */
        void release() {
            released = true;
            if (MAPS) {
                Linux.munmap(memory.address(), BLOCK);
            } else {
                arena.close();
            }
        }
    }

    /** The chunks of one size. */
    private final class SizeClass {
        final int size;
        final List<Block> blocks = new ArrayList<>();
        OutputChunk free;
        int lent;
        int peak; // of lent since the last look

        SizeClass(int size) {
            this.size = size;
        }

        OutputChunk take() {
            if (free == null) {
                grow();
            }
            OutputChunk chunk = free;
            free = chunk.next;
            chunk.next = null;
            chunk.block.lent++;
            if (++lent > peak) {
                peak = lent;
            }
            return chunk;
        }

        void give(OutputChunk chunk) {
            chunk.start = 0;
            chunk.end = 0;
            chunk.block.lent--;
            lent--;
            chunk.next = free;
            free = chunk;
        }

        private void grow() {
            var block = new Block(size, arena);
            for (int at = BLOCK - size; at >= 0; at -= size) {
                var chunk = new OutputChunk(block.memory.asSlice(at, size), block);
                chunk.next = free;
                free = chunk;
            }
            blocks.add(block);
            total += BLOCK;
            if (blocks.size() > 1) {
                memory.add(BLOCK);
                whenGrown.run();
            }
        }

        /**
         * Gives blocks back of which no chunk is lent, but for {@code keep} chunks and one block.
         */
        void shrink(int keep) {
            int most = Math.max(1, (keep * size + BLOCK - 1) / BLOCK);
            boolean any = false;
            for (int i = blocks.size() - 1; i >= 0 && blocks.size() > most; i--) {
                Block block = blocks.get(i);
                if (block.lent == 0) {
                    blocks.remove(i);
                    block.release();
                    any = true;
                    total -= BLOCK;
                    memory.release(BLOCK);
                }
            }
            if (any) {
                forgetReleased();
            }
            peak = lent;
        }

        /** Chunks of released blocks leave the list. */
        private void forgetReleased() {
            OutputChunk all = free;
            OutputChunk last = null;
            free = null;
            while (all != null) {
                OutputChunk following = all.next;
                all.next = null;
                if (!all.block.released) {
                    if (last == null) {
                        free = all;
                    } else {
                        last.next = all;
                    }
                    last = all;
                }
                all = following;
            }
        }
    }

    /**
     * Write memory that is reached as long as {@code arena} is open.
     *
     * @param whenGrown is run when there is more than stays, so that {@link #shrink} is due later
     */
    public Chunks(Arena arena, MemoryBudget memory, Runnable whenGrown) {
        this.arena = arena;
        this.memory = memory;
        this.whenGrown = whenGrown;
    }

    /** Takes an empty chunk. */
    public OutputChunk take() {
        return usual.take();
    }

    /**
     * Takes an empty chunk for {@code bytes} that are at hand, with room for all of them if
     * possible.
     */
    public OutputChunk take(long bytes) {
        return (bytes <= SIZE ? usual : large).take();
    }

    /** Takes a chunk back, with what it has borrowed. */
    public void give(OutputChunk chunk) {
        if (chunk.file != null) {
            chunk.file.release();
            return;
        }
        if (chunk.owner != null) {
            chunk.owner.release();
            return;
        }
        if (chunk.counted != null) {
            forget(chunk.counted);
            chunk.counted = null;
        }
        if (chunk.block != null) {
            (chunk.block.size == SIZE ? usual : large).give(chunk);
        }
    }

    /**
     * Returns a chunk of {@code bytes[from..to)}. If it {@code counts}, the whole array does for as
     * long as a part of it waits, and once however many connections it waits for.
     */
    public OutputChunk of(byte[] bytes, int from, int to, boolean counts) {
        var chunk = new OutputChunk(bytes, from, to);
        if (counts) {
            chunk.counted = counted.computeIfAbsent(bytes, Counted::new);
            if (chunk.counted.chunks++ == 0) {
                memory.add(bytes.length);
            }
        }
        return chunk;
    }

    private void forget(Counted one) {
        if (--one.chunks == 0) {
            counted.remove(one.array);
            memory.release(one.array.length);
        }
    }

    /** An array of the program that counts in the budget of the loop. */
    static final class Counted {
        private final byte[] array;
        private int chunks;

        Counted(byte[] array) {
            this.array = array;
        }

        /** Returns the part of its bytes that one of its chunks costs. */
        int share() {
            return array.length / chunks;
        }
    }

    /** Returns the bytes that have left from all queues: no queue has counted more. */
    public long dropped() {
        return dropped;
    }

    void dropped(int bytes) {
        dropped += bytes;
    }

    /** Returns a chunk whose content is discarded, for writes to a connection that is closing. */
    public OutputChunk discard() {
        if (discard == null) {
            discard = new OutputChunk(arena.allocate(SIZE), null);
        }
        discard.end = 0;
        return discard;
    }

    /**
     * Gives memory back that was not needed since the last call.
     *
     * @return whether there is more than stays, so that it is worth another look later
     */
    public boolean shrink() {
        usual.shrink(usual.peak);
        large.shrink(large.peak);
        return usual.blocks.size() > 1 || large.blocks.size() > 1;
    }

    /** Gives all memory back that is not in use. */
    public void reclaim() {
        if (usual.blocks.size() > 1) {
            usual.shrink(usual.lent);
        }
        if (large.blocks.size() > 1) {
            large.shrink(large.lent);
        }
    }

    /** Returns the bytes of all chunks, in use or not. */
    public long bytes() {
        return total;
    }

    /** Returns how many chunks are in use. */
    public int lent() {
        return usual.lent + large.lent;
    }

    /**
     * Releases all blocks: nothing is sent any more, and the loop's arena is closed, so that nobody
     * reaches the chunks.
     */
    public void close() {
        for (SizeClass shelf : List.of(usual, large)) {
            shelf.blocks.forEach(Block::release);
            shelf.blocks.clear();
            shelf.free = null;
        }
    }
}
