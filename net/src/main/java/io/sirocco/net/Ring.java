// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static io.sirocco.net.Linux.MEMORY;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * One io_uring: two queues in memory that the kernel shares with us, a table of direct descriptors,
 * and a ring of buffers that the kernel picks from when bytes come in. Layouts are those of {@code
 * linux/io_uring.h}.
 *
 * <pre>
 *   entry (64 bytes)                                        completion (16 bytes)
 *    0 opcode  1 flags  2 ioprio  4 descriptor               0 user data
 *    8 offset                    16 address                  8 result
 *   24 length            28 flags of the operation          12 flags, buffer id in the upper half
 *   32 user data         40 buffer group
 *   44 file index        48 address 3
 * </pre>
 *
 * <p>The user data of an operation is its kind in the top byte and a number, mostly the slot of a
 * connection, in the rest. Loop-confined, made on the loop's own thread: the kernel lets no other
 * one submit.
 */
final class Ring implements AutoCloseable {
    // Operations
    static final int TIMEOUT = 11;
    static final int ACCEPT = 13;
    static final int ASYNC_CANCEL = 14;
    static final int CONNECT = 16;
    static final int CLOSE = 19;
    static final int FILES_UPDATE = 20;
    static final int READ = 22;
    static final int SEND = 26;
    static final int RECV = 27;
    static final int SHUTDOWN = 34;
    static final int MSG_RING = 40;
    static final int POLL_ADD = 6;
    static final int FIXED_FD_INSTALL = 54;

    // Flags of an entry
    static final int FIXED_FILE = 1;
    static final int BUFFER_SELECT = 1 << 5;
    static final int SKIP_SUCCESS = 1 << 6;

    // Flags of a completion
    static final int HAS_BUFFER = 1;
    static final int MORE = 1 << 1;

    static final int FILE_INDEX_ALLOC = -1;

    private static final int SYS_SETUP = 425;
    private static final int SYS_ENTER = 426;
    private static final int SYS_REGISTER = 427;

    private static final int SETUP_CQSIZE = 1 << 3;
    private static final int SETUP_CLAMP = 1 << 4;
    private static final int SETUP_SUBMIT_ALL = 1 << 7;
    private static final int SETUP_SINGLE_ISSUER = 1 << 12;
    private static final int SETUP_DEFER_TASKRUN = 1 << 13;

    private static final int ENTER_GETEVENTS = 1;
    private static final int ENTER_REGISTERED_RING = 1 << 4;

    private static final int REGISTER_EVENTFD = 4;
    private static final int REGISTER_FILES2 = 13;
    private static final int REGISTER_RING_FDS = 20;
    private static final int REGISTER_PBUF_RING = 22;
    private static final int SPARSE = 1;

    private static final long OFFSET_QUEUES = 0;
    private static final long OFFSET_ENTRIES = 0x10000000L;

    private static final VarHandle INT = JAVA_INT.varHandle();
    private static final VarHandle SHORT = JAVA_SHORT.varHandle();

    private static final int ENTRIES = 4096;
    private static final int COMPLETIONS = 32768;
    static final int BUFFER_SIZE = 4096;
    private static final int BUFFER_GROUP = 1;

    final int descriptor;
    final int tableSize;
    final Connection[] table;

    /** Signalled by the kernel when completions are due; -1 for the ring that the loop waits on. */
    final int eventfd;

    int connections;

    /** Ordinary descriptors of the sockets in the table, plus one; null while there are none. */
    private int[] descriptors;

    private final MemorySegment state;
    private final int registered; // what the kernel knows the ring by when this thread enters it
    private final long queues;
    private final long queuesLength;
    private final long entries;
    private final long entriesLength;
    private final long sqHead;
    private final long sqTail;
    private final int sqMask;
    private final int sqSize;
    private final long cqHead;
    private final long cqTail;
    private final int cqMask;
    private final long completions;
    private final long bufferRing;
    private final long buffers;
    private final int bufferCount;

    private int tail; // ours; published to the kernel on submit
    private int submitted;
    private short bufferTail;
    private boolean recycled;

    /**
     * @param bufferCount buffers for incoming bytes, a power of two
     * @param secondary whether it is polled through an eventfd rather than waited on
     */
    Ring(Arena arena, int tableSize, int bufferCount, boolean secondary) throws IOException {
        this.state = Linux.state(arena);
        this.tableSize = tableSize;
        this.table = new Connection[tableSize];
        this.bufferCount = bufferCount;
        this.eventfd = secondary ? (int) check("eventfd", Linux.eventfd()) : -1;
        int opened = -1;
        try (Arena scratch = Arena.ofConfined()) {
            MemorySegment p = scratch.allocate(120, 8);
            p.set(JAVA_INT, 4, COMPLETIONS);
            p.set(
                    JAVA_INT,
                    8,
                    SETUP_CQSIZE
                            | SETUP_CLAMP
                            | SETUP_SUBMIT_ALL
                            | SETUP_SINGLE_ISSUER
                            | SETUP_DEFER_TASKRUN);
            opened = (int) check("io_uring_setup", call(SYS_SETUP, ENTRIES, p.address(), 0, 0));
            descriptor = opened;
            sqSize = p.get(JAVA_INT, 0);
            int cqSize = p.get(JAVA_INT, 4);
            long arrayOffset = p.get(JAVA_INT, 64);
            long cqesOffset = p.get(JAVA_INT, 100);
            queuesLength = Math.max(arrayOffset + sqSize * 4L, cqesOffset + cqSize * 16L);
            entriesLength = sqSize * 64L;
            queues =
                    check(
                            "mmap of the queues",
                            Linux.mmap(queuesLength, descriptor, OFFSET_QUEUES));
            entries =
                    check(
                            "mmap of the entries",
                            Linux.mmap(entriesLength, descriptor, OFFSET_ENTRIES));
            sqHead = queues + p.get(JAVA_INT, 40);
            sqTail = queues + p.get(JAVA_INT, 44);
            sqMask = MEMORY.get(JAVA_INT, queues + p.get(JAVA_INT, 48));
            cqHead = queues + p.get(JAVA_INT, 80);
            cqTail = queues + p.get(JAVA_INT, 84);
            cqMask = MEMORY.get(JAVA_INT, queues + p.get(JAVA_INT, 88));
            completions = queues + cqesOffset;
            submitInOrder(queues + arrayOffset);
            registerTable(scratch);
            bufferRing = arena.allocate(bufferCount * 16L, 4096).address();
            buffers = check("mmap of the buffers", Linux.memory((long) bufferCount * BUFFER_SIZE));
            registerBuffers(scratch);
            if (secondary) {
                registerEventfd(scratch);
            }
            registered = registerSelf(scratch);
        } catch (IOException e) {
            for (int number : new int[] {opened, eventfd}) {
                if (number >= 0) {
                    Linux.close(number);
                }
            }
            throw e;
        }
    }

    /** Entries are submitted in the order of their places. Copied at once: a start runs cold. */
    private void submitInOrder(long array) {
        var places = new int[sqSize];
        for (int i = 0; i < sqSize; i++) {
            places[i] = i;
        }
        MemorySegment.copy(places, 0, MEMORY, JAVA_INT, array, sqSize);
    }

    private void registerTable(Arena scratch) throws IOException {
        MemorySegment files = scratch.allocate(32, 8);
        files.set(JAVA_INT, 0, tableSize);
        files.set(JAVA_INT, 4, SPARSE);
        check(
                "registering " + tableSize + " direct descriptors",
                register(REGISTER_FILES2, files.address(), 32));
    }

    private void registerBuffers(Arena scratch) throws IOException {
        MemorySegment ring = scratch.allocate(40, 8);
        ring.set(JAVA_LONG, 0, bufferRing);
        ring.set(JAVA_INT, 8, bufferCount);
        ring.set(JAVA_SHORT, 12, (short) BUFFER_GROUP);
        check("registering the ring of buffers", register(REGISTER_PBUF_RING, ring.address(), 1));
        var all = new long[bufferCount * 2]; // as recycle() has them, copied at once
        for (int id = 0; id < bufferCount; id++) {
            all[id * 2] = buffer(id);
            all[id * 2 + 1] = (long) id << 32 | BUFFER_SIZE;
        }
        MemorySegment.copy(all, 0, MEMORY, JAVA_LONG, bufferRing, all.length);
        bufferTail = (short) bufferCount;
        publishBuffers();
    }

    private void registerEventfd(Arena scratch) throws IOException {
        MemorySegment number = scratch.allocateFrom(JAVA_INT, eventfd);
        check("registering an eventfd", register(REGISTER_EVENTFD, number.address(), 1));
    }

    /** Saves the kernel a look-up of the ring's descriptor in every call. */
    private int registerSelf(Arena scratch) {
        MemorySegment update = scratch.allocate(16, 8);
        update.set(JAVA_INT, 0, -1);
        update.set(JAVA_LONG, 8, descriptor);
        return register(REGISTER_RING_FDS, update.address(), 1) == 1 ? update.get(JAVA_INT, 0) : -1;
    }

    // ---- submission

    /**
     * Queues an operation and answers the address of its entry, for the fields that few operations
     * have.
     */
    long entry(
            int operation,
            int flags,
            int target,
            long address,
            int length,
            int operationFlags,
            long userData) {
        while (tail - (int) INT.getAcquire(MEMORY, sqHead) == sqSize) {
            enter(0, 0); // takes them, unless the kernel is out of memory for a moment
        }
        long entry = entries + ((long) (tail++ & sqMask) << 6);
        MEMORY.set(JAVA_INT, entry, operation | flags << 8);
        MEMORY.set(JAVA_INT, entry + 4, target);
        MEMORY.set(JAVA_LONG, entry + 8, 0L);
        MEMORY.set(JAVA_LONG, entry + 16, address);
        MEMORY.set(JAVA_INT, entry + 24, length);
        MEMORY.set(JAVA_INT, entry + 28, operationFlags);
        MEMORY.set(JAVA_LONG, entry + 32, userData);
        MEMORY.set(JAVA_LONG, entry + 40, 0L);
        MEMORY.set(JAVA_LONG, entry + 48, 0L);
        return entry;
    }

    static void priority(long entry, int value) {
        MEMORY.set(JAVA_SHORT, entry + 2, (short) value);
    }

    static void offset(long entry, long value) {
        MEMORY.set(JAVA_LONG, entry + 8, value);
    }

    static void fileIndex(long entry, int value) {
        MEMORY.set(JAVA_INT, entry + 44, value);
    }

    static void address3(long entry, long value) {
        MEMORY.set(JAVA_LONG, entry + 48, value);
    }

    static void bufferGroup(long entry) {
        MEMORY.set(JAVA_SHORT, entry + 40, (short) BUFFER_GROUP);
    }

    boolean hasUnsubmitted() {
        return tail != submitted;
    }

    /**
     * Submits what is queued, waits for {@code least} completions, and lets the kernel post those
     * that are due.
     */
    void submit(int least) {
        if (recycled) {
            publishBuffers();
        }
        enter(least, ENTER_GETEVENTS);
    }

    private void enter(int least, int flags) {
        INT.setRelease(MEMORY, sqTail, tail);
        int count = tail - submitted;
        long result =
                registered >= 0
                        ? Linux.syscall(
                                state,
                                SYS_ENTER,
                                registered,
                                count,
                                least,
                                flags | ENTER_REGISTERED_RING,
                                0,
                                0)
                        : Linux.syscall(state, SYS_ENTER, descriptor, count, least, flags, 0, 0);
        if (result >= 0) {
            submitted += (int) result;
        } else if (result != -Linux.EINTR && result != -Linux.EAGAIN && result != -Linux.EBUSY) {
            throw new IllegalStateException("io_uring_enter: " + Linux.reason((int) -result));
        }
    }

    // ---- completion

    int firstCompletion() {
        return MEMORY.get(JAVA_INT, cqHead);
    }

    int lastCompletion() {
        return (int) INT.getAcquire(MEMORY, cqTail);
    }

    /** The address of a completion. */
    long completion(int index) {
        return completions + ((long) (index & cqMask) << 4);
    }

    static long userData(long completion) {
        return MEMORY.get(JAVA_LONG, completion);
    }

    static int result(long completion) {
        return MEMORY.get(JAVA_INT, completion + 8);
    }

    static int flags(long completion) {
        return MEMORY.get(JAVA_INT, completion + 12);
    }

    static void forget(long completion) {
        MEMORY.set(JAVA_LONG, completion, 0L);
    }

    /** Gives the places of all completions before {@code index} back to the kernel. */
    void consumed(int index) {
        INT.setRelease(MEMORY, cqHead, index);
    }

    // ---- buffers

    long buffer(int id) {
        return buffers + (long) id * BUFFER_SIZE;
    }

    /** The buffer may be filled again, from the next submission on. */
    void recycle(int id) {
        long place = bufferRing + ((bufferTail++ & bufferCount - 1) << 4);
        MEMORY.set(JAVA_LONG, place, buffer(id));
        MEMORY.set(JAVA_INT, place + 8, BUFFER_SIZE);
        MEMORY.set(JAVA_SHORT, place + 12, (short) id);
        recycled = true;
    }

    private void publishBuffers() {
        SHORT.setRelease(MEMORY, bufferRing + 14, bufferTail);
        recycled = false;
    }

    /** For those who lend ordinary descriptors: a place for each slot of the table. */
    int[] descriptors() {
        if (descriptors == null) {
            descriptors = new int[tableSize];
        }
        return descriptors;
    }

    int[] descriptorsIfAny() {
        return descriptors;
    }

    @Override
    public void close() {
        Linux.close(descriptor);
        Linux.munmap(entries, entriesLength);
        Linux.munmap(queues, queuesLength);
        Linux.munmap(buffers, (long) bufferCount * BUFFER_SIZE);
        if (eventfd >= 0) {
            Linux.close(eventfd);
        }
    }

    private long register(int operation, long argument, int count) {
        return call(SYS_REGISTER, descriptor, operation, argument, count);
    }

    private long call(long number, long a, long b, long c, long d) {
        return Linux.syscall(state, number, a, b, c, d, 0, 0);
    }

    private static long check(String what, long result) throws IOException {
        if (result < 0) {
            throw Linux.failure(what, result);
        }
        return result;
    }
}
