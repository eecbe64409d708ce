// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.linux;

import static io.sirocco.net.linux.Linux.MEMORY;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * An array of {@code struct mmsghdr} for {@code recvmmsg(2)} and {@code sendmmsg(2)}, which receive
 * and send many datagrams with one call and never block. Each header refers to a slot: the bytes of
 * one datagram, and memory for the address of its peer. Layouts are those of Linux on 64 bits.
 *
 * <pre>
 *   header (64 bytes)                         slot: struct iovec (16 bytes)
 *    0 address of the name  8 its length       0 address of the bytes  8 their length
 *   16 address of the iovec 24 how many       and a name: struct sockaddr (32 bytes)
 *   56 bytes received
 * </pre>
 *
 * <p>Confined to one thread at a time.
 */
public final class DatagramHeaders {
    private static final int HEADER = 64;
    private static final int PART = 16;
    private static final int NAME = 32; // holds struct sockaddr_in6, of 28 bytes

    private static final MethodHandle RECVMMSG = Linux.call("recvmmsg");
    private static final MethodHandle SENDMMSG = Linux.call("sendmmsg");

    private final MemorySegment state;
    private final long headers;
    private final long parts;
    private final long names;
    private int received; // headers whose length of the name the kernel has overwritten

    /** Allocates {@code size} headers and as many slots, to which they refer in order. */
    public DatagramHeaders(Arena arena, int size) {
        this.state = Linux.state(arena);
        this.headers = arena.allocate((long) size * HEADER, 64).address();
        this.parts = arena.allocate((long) size * PART, 64).address();
        this.names = arena.allocate((long) size * NAME, 64).address();
        for (int i = 0; i < size; i++) {
            MEMORY.set(JAVA_LONG, header(i) + 24, 1);
            refer(i, i, NAME);
        }
    }

    private long header(int index) {
        return headers + (long) index * HEADER;
    }

    /** Sets where the bytes of a slot are, and how many. */
    public void setBytes(int slot, long address, long length) {
        MEMORY.set(JAVA_LONG, parts + (long) slot * PART, address);
        MEMORY.set(JAVA_LONG, parts + (long) slot * PART + 8, length);
    }

    /** Returns the address of 32 bytes for the name of a slot. */
    public long name(int slot) {
        return names + (long) slot * NAME;
    }

    /** Makes the header refer to a slot, whose name has {@code nameLength} bytes. */
    public void refer(int index, int slot, int nameLength) {
        long header = header(index);
        MEMORY.set(JAVA_LONG, header, name(slot));
        MEMORY.set(JAVA_INT, header + 8, nameLength);
        MEMORY.set(JAVA_LONG, header + 16, parts + (long) slot * PART);
    }

    /**
     * Receives datagrams for the first {@code most} headers; returns how many, or {@code -errno}.
     */
    public int receive(int descriptor, int most) {
        for (int i = 0; i < received; i++) {
            MEMORY.set(JAVA_INT, header(i) + 8, NAME);
        }
        int result = call(RECVMMSG, descriptor, headers, most, Linux.MSG_DONTWAIT);
        received = Math.max(0, result);
        return result;
    }

    /** Returns the length of a datagram that was received. */
    public int receivedLength(int index) {
        return MEMORY.get(JAVA_INT, header(index) + 56);
    }

    /**
     * Sends the datagrams of {@code count} headers, from {@code first} on.
     *
     * @return how many were sent; {@code -errno} if the first could not be
     */
    public int send(int descriptor, int first, int count) {
        final int flags = Linux.MSG_DONTWAIT | Linux.MSG_NOSIGNAL;
        return call(SENDMMSG, descriptor, header(first), count, flags);
    }

    private int call(MethodHandle function, int descriptor, long first, int count, int flags) {
        try {
            int result =
                    (int)
                            (long)
                                    function.invokeExact(
                                            state,
                                            (long) descriptor,
                                            first,
                                            (long) count,
                                            (long) flags,
                                            0L,
                                            0L,
                                            0L);
            return result < 0 ? -state.get(JAVA_INT, Linux.ERRNO_OFFSET) : result;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }
}
