// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.output;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.sirocco.net.Chunk;
import io.sirocco.net.file.DiskReader;
import io.sirocco.net.file.SharedFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Bytes on their way out, in one of four forms: native memory that responses are gathered in,
 * borrowed from the loop's {@link Chunks} and returned when its last byte has left; a slice of a
 * caller's array, which is not copied until its turn comes; a region of a file, which the kernel
 * sends; or native memory of a {@link ChunkOwner}: content of a file, or bytes of another
 * connection. Loop-confined.
 */
public final class OutputChunk implements Chunk {
    private static final MemorySegment NO_MEMORY = MemorySegment.NULL;

    static {
        putOnce();
    }

    final MemorySegment memory;
    final long address;

    /** The caller's array, or null when the bytes are in {@link #memory}. */
    final byte[] array;

    /** The file, or null when the bytes are at hand. */
    final SharedFile file;

    /** What {@link #memory} belongs to, or null when it is write memory of the loop. */
    final ChunkOwner owner;

    private ByteBuffer view; // made when it is asked for

    /** The block of write memory that it is a part of; null for all others. */
    final Chunks.Block block;

    Chunks.Counted counted; // in the budget of the loop; null where it costs nothing
    int start;
    int end;
    long position; // in the file
    private long left; // of the file
    private long atHand; // up to here the file was seen to be in memory
    OutputChunk next; // on its way out, or among those that are free

    OutputChunk(MemorySegment memory, Chunks.Block block) {
        this.memory = memory;
        this.block = block;
        this.address = memory.address();
        this.array = null;
        this.file = null;
        this.owner = null;
        this.view = memory.asByteBuffer();
    }

    /** Content of {@code owner}, which is released when the last byte has left. */
    public OutputChunk(ChunkOwner owner, MemorySegment content) {
        this.memory = content;
        this.address = content.address();
        this.array = null;
        this.file = null;
        this.owner = owner;
        this.block = null;
        this.end = (int) content.byteSize();
    }

    OutputChunk(byte[] array, int from, int to) {
        this.memory = NO_MEMORY;
        this.block = null;
        this.address = 0;
        this.array = array;
        this.file = null;
        this.owner = null;
        this.start = from;
        this.end = to;
    }

    /** {@code length} bytes of {@code file}, which is released when the last one has left. */
    public OutputChunk(SharedFile file, long position, long length) {
        this.memory = NO_MEMORY;
        this.block = null;
        this.address = 0;
        this.array = null;
        this.file = file;
        this.owner = null;
        this.position = position;
        this.left = length;
    }

    /**
     * The JDK links memory accesses at their first use, and takes locks for that. A virtual thread
     * that waits for such a lock leaves its loop with a header section half written, which the loop
     * would send. The initialiser of this class links them instead: there, threads do not leave the
     * loop.
     */
    private static void putOnce() {
        try (Arena arena = Arena.ofConfined()) {
            var chunk = new OutputChunk(arena.allocate(64), null);
            chunk.put((byte) 0);
            chunk.put(new byte[1]);
            chunk.putLatin("a");
            chunk.putDecimal(1);
            chunk.putHex(1);
        }
    }

    /** Returns the chunk behind it; null when it is the last one. */
    public OutputChunk next() {
        return next;
    }

    /** Returns the address of its first byte, if it is {@linkplain #inMemory in memory}. */
    public long address() {
        return address + start;
    }

    /** Returns the file that the kernel sends its bytes from; null when they are at hand. */
    public SharedFile file() {
        return file;
    }

    /** Returns the position of its first byte in the {@linkplain #file file}. */
    public long position() {
        return position;
    }

    /** Returns its first {@code n} bytes, to be read before anything else is done to it. */
    public ByteBuffer text(int n) {
        return array != null
                ? ByteBuffer.wrap(array, start, n)
                : view().limit(start + n).position(start);
    }

    private ByteBuffer view() {
        if (view == null) {
            view = memory.asByteBuffer();
        }
        return view;
    }

    /** Returns the number of bytes that are left; of a file at most {@link Integer#MAX_VALUE}. */
    public int length() {
        return (int) Math.min(unsent(), Integer.MAX_VALUE);
    }

    /** Returns the number of bytes that are left. */
    public long unsent() {
        return file == null ? end - start : left;
    }

    /** Returns the bytes of the loop's {@link MemoryBudget} that it takes. */
    int cost() {
        if (block != null) {
            return block.size;
        }
        return counted == null ? 0 : counted.share();
    }

    /** Returns whether it and the next one are in memory that the kernel can read. */
    public boolean inMemoryBefore() {
        return inMemory() && next != null && next.inMemory();
    }

    /** Returns whether it is in memory that the kernel can read. */
    public boolean inMemory() {
        return array == null && file == null;
    }

    /** Returns the number of bytes that can be appended. */
    public int remaining() {
        return array != null || file != null || owner != null ? 0 : (int) memory.byteSize() - end;
    }

    /** Moves what is left to the front, so that there is room behind it. */
    public void compact() {
        if (start == 0 || memory.byteSize() == 0 || owner != null) {
            return;
        }
        MemorySegment.copy(memory, start, memory, 0, end - start);
        end -= start;
        start = 0;
    }

    /** Returns whether the next piece can be sent without waiting for a disk. */
    public boolean atHand(long nowNanos) {
        if (file == null || position < atHand) {
            return true;
        }
        int piece = (int) Math.min(left, DiskReader.WINDOW);
        if (!file.atHand(position, piece, nowNanos)) {
            return false;
        }
        atHand = position + piece;
        return true;
    }

    /** Returns how many bytes may be sent now: of a file those that were seen in memory. */
    public int ready() {
        return file == null ? length() : (int) (atHand - position);
    }

    /** Drops the first {@code bytes}, which have left. */
    void advance(int bytes) {
        if (file == null) {
            start += bytes;
        } else {
            position += bytes;
            left -= bytes;
        }
    }

    @Override
    public void put(byte value) {
        memory.set(JAVA_BYTE, end++, value);
    }

    @Override
    public void put(byte[] bytes, int from, int to) {
        MemorySegment.copy(bytes, from, memory, JAVA_BYTE, end, to - from);
        end += to - from;
    }

    /** Appends {@code bytes}. */
    public void put(MemorySegment bytes) {
        MemorySegment.copy(bytes, 0, memory, end, bytes.byteSize());
        end += (int) bytes.byteSize();
    }

    @Override
    public void put(byte[] bytes) {
        put(bytes, 0, bytes.length);
    }

    @Override
    public void putLatin(String text) {
        for (int i = 0, n = text.length(); i < n; i++) {
            char c = text.charAt(i);
            memory.set(JAVA_BYTE, end++, (byte) (c < 256 ? c : '?'));
        }
    }

    @Override
    public void putDecimal(long value) {
        int digits = 1;
        for (long rest = value; rest >= 10; rest /= 10) {
            digits++;
        }
        long rest = value;
        for (int i = end + digits - 1; i >= end; i--) {
            memory.set(JAVA_BYTE, i, (byte) ('0' + rest % 10));
            rest /= 10;
        }
        end += digits;
    }

    @Override
    public void putHex(long value) {
        int digits = Math.max(1, (67 - Long.numberOfLeadingZeros(value)) / 4);
        for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) {
            memory.set(
                    JAVA_BYTE,
                    end++,
                    (byte) "0123456789abcdef".charAt((int) (value >>> shift) & 15));
        }
    }

    /** Takes as many bytes from the front of {@code source} as fit, and leaves it the rest. */
    public void takeFrom(OutputChunk source) {
        int n = Math.min(remaining(), source.length());
        if (source.array != null) {
            put(source.array, source.start, source.start + n);
        } else {
            MemorySegment.copy(source.memory, source.start, memory, end, n);
            end += n;
        }
        source.advance(n);
    }

    /**
     * Does the same from a file; returns false when that ends too early.
     *
     * @throws IOException when it cannot be read
     */
    boolean readFrom(OutputChunk source) throws IOException {
        int most = Math.min(source.length(), remaining());
        int n = source.file.read(memory.asSlice(end), most, source.position);
        end += n;
        source.advance(n);
        return n > 0;
    }
}
