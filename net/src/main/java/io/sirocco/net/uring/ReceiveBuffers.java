// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.uring;

import static io.sirocco.net.linux.Linux.MEMORY;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.sirocco.net.linux.Linux;
import io.sirocco.net.transport.ReceiveBuffer;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * The ring of buffers of an io_uring, of which the kernel takes the next one when bytes come in
 * (IORING_REGISTER_PBUF_RING).
 *
 * <p>Where the kernel can use a buffer up piece by piece (IOU_PBUF_RING_INC), buffers have 64 KiB:
 * a large receive then takes one completion in the place of sixteen, and small ones lie next to
 * each other. Each completion begins in its buffer where the one before it ended, so they must be
 * taken in the order of the queue. Elsewhere buffers have 4 KiB, and each completion has one of its
 * own. Loop-confined.
 */
final class ReceiveBuffers {
    /** For tests: bytes that one buffer has; 4096 stands for those with one completion each. */
    static final String SIZE = "io.sirocco.net.receiveBuffer";

    static final int GROUP = 1;

    private static final int WHOLE_SIZE = 4 << 10;
    private static final int SHARED_SIZE = 64 << 10;
    private static final int LIMIT = 128 << 10;
    private static final int INCREMENTAL = 2;
    private static final VarHandle SHORT = JAVA_SHORT.varHandle();

    private final int size; // of a buffer
    private final boolean shared; // among completions
    private final int count;
    private final long ring;
    private final long memory;
    private final Buffer[] buffers;
    private int retained; // buffers that output refers to
    private short tail;
    private boolean recycled;

    /** A buffer, which the kernel gets back when it is used up and no output refers to it. */
    final class Buffer implements ReceiveBuffer {
        final int id;
        int used; // bytes that the kernel has filled
        private int references;

        Buffer(int id) {
            this.id = id;
        }

        @Override
        public boolean retain() {
            if (references == 0) {
                if (retained >= count / 2) {
                    return false;
                }
                retained++;
            }
            references++;
            return true;
        }

        @Override
        public void release() {
            if (--references == 0) {
                retained--;
                if (used == size) {
                    recycle(this);
                }
            }
        }
    }

    /**
     * Maps and fills the memory.
     *
     * @param bytes of all buffers: a power of two
     */
    ReceiveBuffers(Arena arena, int bytes) throws IOException {
        size = Integer.getInteger(SIZE, sharedIsReliable() ? SHARED_SIZE : WHOLE_SIZE);
        shared = size > WHOLE_SIZE;
        count = bytes / size;
        buffers = new Buffer[count];
        ring = arena.allocate(count * 16L, 4096).address();
        long mapped = Linux.memory(bytes);
        if (mapped < 0) {
            throw Linux.failure("mmap of the buffers", mapped);
        }
        memory = mapped;
        var all = new long[count * 2]; // as recycle() has them, copied at once
        for (int id = 0; id < count; id++) {
            buffers[id] = new Buffer(id);
            all[id * 2] = address(id);
            all[id * 2 + 1] = (long) id << 32 | size;
        }
        MemorySegment.copy(all, 0, MEMORY, JAVA_LONG, ring, all.length);
        tail = (short) count;
        SHORT.setRelease(MEMORY, ring + 14, tail);
    }

    /**
     * Returns whether completions come in the order in which the kernel fills a shared buffer.
     * Before Linux 6.17 one of a multishot receive could overtake another one.
     */
    private static boolean sharedIsReliable() {
        return Linux.isAtLeast(6, 17);
    }

    /** Describes the ring of buffers to the kernel, in {@code struct io_uring_buf_reg}. */
    MemorySegment registration(Arena arena) {
        MemorySegment about = arena.allocate(40, 8);
        about.set(JAVA_LONG, 0, ring);
        about.set(JAVA_INT, 8, count);
        about.set(JAVA_SHORT, 12, (short) GROUP);
        about.set(JAVA_SHORT, 14, (short) (shared ? INCREMENTAL : 0));
        return about;
    }

    /** Returns how many bytes one receive brings at most. */
    int size() {
        return size;
    }

    /**
     * Returns how many bytes one multishot receive shall bring at most; 0 for no limit, where
     * buffers are small. As much of it can still come when a connection has stopped reading.
     */
    int limit() {
        return shared ? LIMIT : 0;
    }

    /** Returns the buffer with this number. */
    Buffer buffer(int id) {
        return buffers[id];
    }

    /** Returns where the bytes of the next completion with {@code buffer} are. */
    long next(Buffer buffer) {
        return address(buffer.id) + buffer.used;
    }

    /**
     * Takes note that the completion had {@code length} bytes of {@code buffer}, to which only
     * output refers from now on. A completion without bytes has left a shared buffer as it was,
     * whatever its flags say.
     *
     * @param goesOn whether the kernel says that it goes on in the same buffer
     * @return whether the buffer had room for more
     */
    boolean taken(Buffer buffer, int length, boolean goesOn) {
        if (shared && length <= 0) {
            return true;
        }
        int filled = buffer.used + Math.max(0, length);
        buffer.used = goesOn ? filled : size;
        if (!goesOn && buffer.references == 0) {
            recycle(buffer);
        }
        return filled < size;
    }

    /** Has the kernel fill it again, from the next {@link #publish} on. */
    private void recycle(Buffer buffer) {
        buffer.used = 0;
        long place = ring + ((tail++ & count - 1) << 4);
        MEMORY.set(JAVA_LONG, place, address(buffer.id));
        MEMORY.set(JAVA_INT, place + 8, size);
        MEMORY.set(JAVA_SHORT, place + 12, (short) buffer.id);
        recycled = true;
    }

    /** Gives the kernel the buffers that were recycled. */
    void publish() {
        if (recycled) {
            SHORT.setRelease(MEMORY, ring + 14, tail);
            recycled = false;
        }
    }

    private long address(int id) {
        return memory + (long) id * size;
    }

    /** Unmaps the memory; the kernel must not use it any more. */
    void close() {
        Linux.munmap(memory, (long) count * size);
    }
}
