// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.output;

import java.io.IOException;

/**
 * Chunks on their way out, in order. The queue owns them: chunks that have left return to the
 * loop's {@link Chunks}. Loop-confined.
 */
public final class ChunkQueue {
    private static final int COPIED = 2 << 10;

    private final Chunks pool;
    private OutputChunk first;
    private OutputChunk last;
    private long dropped; // where the first byte stands among all that have passed

    public ChunkQueue(Chunks pool) {
        this.pool = pool;
    }

    /** Starts to count at {@code position}, behind everything that any queue has counted so far. */
    public ChunkQueue from(long position) {
        dropped = position;
        return this;
    }

    /** Returns the position behind its last byte; positions of a connection only grow. */
    public long end() {
        return dropped + unsent();
    }

    /** Returns how many bytes are before {@code position}. */
    public long before(long position) {
        return Math.max(0, position - dropped);
    }

    public boolean isEmpty() {
        return first == null;
    }

    /**
     * Returns the chunk that leaves next, linked to the ones behind it; null when there is none.
     */
    public OutputChunk first() {
        return first;
    }

    /** Returns the last chunk if it has room for {@code bytes}; otherwise appends a fresh one. */
    public OutputChunk reserve(int bytes) {
        if (last == null || last.remaining() < bytes) {
            append(pool.take());
        }
        return last;
    }

    public void append(OutputChunk chunk) {
        if (last == null) {
            first = chunk;
        } else {
            last.next = chunk;
        }
        last = chunk;
    }

    /** Returns the bytes of all chunks. */
    public long unsent() {
        long bytes = 0;
        for (OutputChunk chunk = first; chunk != null; chunk = chunk.next) {
            bytes += chunk.unsent();
        }
        return bytes;
    }

    /**
     * Returns the bytes of the loop's memory that the chunks take; files and shared arrays take
     * none.
     */
    public long cost() {
        long bytes = 0;
        for (OutputChunk chunk = first; chunk != null; chunk = chunk.next) {
            bytes += chunk.cost();
        }
        return bytes;
    }

    /** Drops the first {@code bytes}, and empty chunks in front of the rest. */
    public void drop(int bytes) {
        int rest = bytes;
        dropped += bytes;
        pool.dropped(bytes);
        while (first != null && rest >= first.unsent()) {
            rest -= (int) first.unsent();
            dropFirst();
        }
        if (first != null) {
            first.advance(rest);
        }
    }

    private void dropFirst() {
        OutputChunk empty = first;
        first = empty.next;
        if (first == null) {
            last = null;
        }
        pool.give(empty);
    }

    public void clear() {
        while (first != null) {
            dropFirst();
        }
    }

    /** Returns whether the first chunk is of a file, or has one right behind it. */
    public boolean meetsFile() {
        return first.file != null || first.next != null && first.next.file != null;
    }

    /** Returns the chunk of that file; the first one where there is none. */
    public OutputChunk fileOrFirst() {
        return first.file != null || first.next == null ? first : first.next;
    }

    /**
     * Makes the first chunk one that can be sent as it is, and fills its room from the arrays
     * behind it, and from files if {@code readsFiles}: where the kernel does not send them itself.
     * False when a file ends too early.
     *
     * @throws IOException when a file cannot be read
     */
    public boolean gather(boolean readsFiles) throws IOException {
        if (first.array != null || readsFiles && first.file != null) {
            OutputChunk chunk = pool.take(first.unsent());
            chunk.next = first;
            first = chunk;
        }
        while (first.next != null && first.remaining() > 0) {
            OutputChunk source = first.next;
            if (source.array != null || source.owner != null && fits(source)) {
                first.takeFrom(source);
            } else if (!readsFiles || source.file == null) {
                break;
            } else if (!first.readFrom(source)) {
                return false;
            }
            if (source.unsent() == 0) {
                dropSecond();
            }
        }
        return true;
    }

    /** Returns whether it is cheaper to copy content of a file than to send it from where it is. */
    private boolean fits(OutputChunk content) {
        return content.unsent() <= Math.min(COPIED, first.remaining());
    }

    private void dropSecond() {
        OutputChunk empty = first.next;
        first.next = empty.next;
        if (first.next == null) {
            last = first;
        }
        pool.give(empty);
    }
}
