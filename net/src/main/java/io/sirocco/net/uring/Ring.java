// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.uring;

import static io.sirocco.net.linux.Linux.MEMORY;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.sirocco.net.linux.Linux;
import io.sirocco.net.log.LinkedErrors;
import io.sirocco.net.output.ChunkMessage;
import io.sirocco.net.output.OutputChunk;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * One io_uring: two queues in memory that the kernel shares with us, a table of direct descriptors,
 * and {@link ReceiveBuffers}. Layouts are those of {@code linux/io_uring.h}.
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
 * <p>The user data of an operation identifies it: its kind in the top byte, a sequence number of 24
 * bits, and a number of 32 bits that is mostly the slot of a connection. The completion queue may
 * overflow: the kernel then keeps completions back until there is room, so that no completion can
 * be expected to be in the queue, only to come. Loop-confined, made on the loop's own thread: the
 * kernel lets no other one submit.
 */
final class Ring implements AutoCloseable {
    static {
        LinkedErrors.link(OutOfMemoryError.class);
    }

    // Operations
    static final int TIMEOUT = 11;
    static final int ACCEPT = 13;
    static final int ASYNC_CANCEL = 14;
    static final int CONNECT = 16;
    static final int CLOSE = 19;
    static final int SENDMSG = 9;
    static final int FILES_UPDATE = 20;
    static final int READ = 22;
    static final int SEND = 26;
    static final int RECV = 27;
    static final int SHUTDOWN = 34;
    static final int MSG_RING = 40;
    static final int URING_CMD = 46;
    static final int POLL_ADD = 6;
    static final int FIXED_FD_INSTALL = 54;

    // Flags of an entry
    static final int FIXED_FILE = 1;
    static final int BUFFER_SELECT = 1 << 5;
    static final int SKIP_SUCCESS = 1 << 6;

    /** All operations that are under way: IORING_ASYNC_CANCEL_ALL and _ANY. */
    static final int CANCEL_ALL_OF_ANY = 1 | 1 << 2;

    // Flags of a completion
    static final int HAS_BUFFER = 1;
    static final int MORE = 1 << 1;
    static final int BUFFER_MORE = 1 << 4; // the kernel goes on in the same buffer

    static final int FILE_INDEX_ALLOC = -1;

    private static final int SYS_SETUP = 425;
    private static final int SYS_ENTER = 426;
    private static final int SYS_REGISTER = 427;

    private static final int SETUP_CQSIZE = 1 << 3;
    private static final int SETUP_CLAMP = 1 << 4;
    private static final int SETUP_SUBMIT_ALL = 1 << 7;
    private static final int SETUP_TASKRUN_FLAG = 1 << 9;
    private static final int SETUP_SINGLE_ISSUER = 1 << 12;
    private static final int SETUP_DEFER_TASKRUN = 1 << 13;

    private static final int ENTER_GETEVENTS = 1;
    private static final int ENTER_REGISTERED_RING = 1 << 4;

    private static final int REGISTER_EVENTFD = 4;
    private static final int REGISTER_PROBE = 8;
    private static final int REGISTER_FILES2 = 13;
    private static final int REGISTER_RING_FDS = 20;
    private static final int REGISTER_PBUF_RING = 22;
    private static final int SPARSE = 1;

    private static final int PROBED = 64; // operations that the kernel is asked about
    private static final int SUPPORTED = 1; // of the answer to that

    private static final int SQ_CQ_OVERFLOW = 1 << 1; // of the queue's flags
    private static final int SQ_TASKRUN = 1 << 2;

    private static final long OFFSET_QUEUES = 0;
    private static final long OFFSET_ENTRIES = 0x10000000L;

    private static final VarHandle INT = JAVA_INT.varHandle();
    private static final VarHandle SHORT = JAVA_SHORT.varHandle();

    /** For tests: names of operations that the kernel is taken not to have, with commas between. */
    static final String MISSING = "io.sirocco.net.missingOperations";

    /** Those that came later than the rest of what is asked of the kernel at the start. */
    private static final List<Operation> NEEDED =
            List.of(
                    new Operation(MSG_RING, "MSG_RING", "5.18"),
                    new Operation(URING_CMD, "URING_CMD", "5.19"),
                    new Operation(FIXED_FD_INSTALL, "FIXED_FD_INSTALL", "6.8"));

    /** An operation, and the version of Linux that brought it. */
    private record Operation(int code, String name, String since) {}

    /** For tests: the places of the completion queue, and at most so many of the other one. */
    static final String COMPLETIONS = "io.sirocco.net.completions";

    private static final int ENTRIES = 4096;
    private static final int MAX_COMPLETIONS = 32768;

    private static final int AT_ONCE = 64; // failures after which there is a pause before the next
    private static final long PAUSE_NANOS = 1_000_000;

    final int descriptor;
    final int tableSize;

    /** Signalled by the kernel when completions are due; -1 for the ring that the loop waits on. */
    final int eventfd;

    private final Owner owner;

    private final MemorySegment state;
    private final int registered; // what the kernel knows the ring by when this thread enters it
    private final long queues;
    private final long queuesLength;
    private final long entries;
    private final long entriesLength;
    private final long sqHead;
    private final long sqTail;
    private final long sqFlags;
    private final int sqMask;
    private final int sqSize;
    private final long cqHead;
    private final long cqTail;
    private final int cqMask;
    private final long completions;
    final ReceiveBuffers buffers;

    private static final long MESSAGE = ChunkMessage.SIZE;
    private long messages; // 0 before the first

    private int head; // the next completion to read; published to the kernel when all are read
    private long[] early = {}; // completions that were read ahead of their turn, in pairs
    private int earlyFrom;
    private int earlyTo;

    /** For so long entering the ring may fail before it is given up. */
    long patienceNanos = 5_000_000_000L;

    /** For tests: what entering the ring fails with; 0 for nothing. */
    int failing;

    private boolean closed;
    private String failure; // for good; null while it works
    private int failures; // one after the other
    private long failingSince;

    private int tail; // ours; published to the kernel on submit
    private int submitted;

    /** The loop that a ring belongs to. */
    interface Owner {
        /** Returns whether the caller may touch the ring: asked by assertions. */
        boolean inLoop();

        /**
         * Waits for a moment, in the middle of what the ring does: no other thread may touch it
         * meanwhile.
         */
        default void pause(long nanos) {
            LockSupport.parkNanos(nanos);
        }
    }

    /**
     * @param bufferBytes of the buffers for what comes in: a power of two
     * @param secondary whether it is polled through an eventfd rather than waited on
     */
    Ring(Arena arena, Owner owner, int tableSize, int bufferBytes, boolean secondary)
            throws IOException {
        this.state = Linux.state(arena);
        this.owner = owner;
        this.tableSize = tableSize;
        this.eventfd = secondary ? (int) check("eventfd", Linux.eventfd()) : -1;
        int opened = -1;
        try (Arena scratch = Arena.ofConfined()) {
            MemorySegment p = scratch.allocate(120, 8);
            int places = Integer.getInteger(COMPLETIONS, MAX_COMPLETIONS);
            p.set(JAVA_INT, 4, places);
            p.set(
                    JAVA_INT,
                    8,
                    SETUP_CQSIZE
                            | SETUP_CLAMP
                            | SETUP_SUBMIT_ALL
                            | SETUP_SINGLE_ISSUER
                            | SETUP_DEFER_TASKRUN
                            | (secondary ? SETUP_TASKRUN_FLAG : 0));
            opened =
                    (int)
                            check(
                                    "io_uring_setup",
                                    call(SYS_SETUP, Math.min(ENTRIES, places), p.address(), 0, 0));
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
            sqFlags = queues + p.get(JAVA_INT, 56);
            sqMask = MEMORY.get(JAVA_INT, queues + p.get(JAVA_INT, 48));
            cqHead = queues + p.get(JAVA_INT, 80);
            cqTail = queues + p.get(JAVA_INT, 84);
            cqMask = MEMORY.get(JAVA_INT, queues + p.get(JAVA_INT, 88));
            completions = queues + cqesOffset;
            submitInOrder(queues + arrayOffset);
            registerTable(scratch);
            buffers = new ReceiveBuffers(arena, bufferBytes);
            check(
                    "registering the ring of buffers",
                    register(REGISTER_PBUF_RING, buffers.registration(scratch).address(), 1));
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

    /**
     * Asks the kernel whether it has the operations that connections cannot do without.
     *
     * @throws IOException when it lacks one
     */
    void requireOperations() throws IOException {
        try (Arena scratch = Arena.ofConfined()) {
            MemorySegment probe = scratch.allocate(16 + 8 * PROBED, 8);
            check("asking for operations", register(REGISTER_PROBE, probe.address(), PROBED));
            for (Operation operation : NEEDED) {
                int flags = probe.get(JAVA_SHORT, 16 + 8 * operation.code + 2);
                if ((flags & SUPPORTED) == 0 || takenToMiss(operation.name)) {
                    throw missing(operation.name, operation.since);
                }
            }
        }
    }

    /** Returns the error for an operation that the kernel does not have. */
    static IOException missing(String operation, String since) {
        String version = System.getProperty("os.version");
        return new IOException(
                "Linux %s lacks the operation %s, which came with Linux %s"
                        .formatted(version, operation, since));
    }

    /** Returns whether a test wants the kernel not to have {@code operation}. */
    static boolean takenToMiss(String operation) {
        return List.of(System.getProperty(MISSING, "").split(",")).contains(operation);
    }

    // ---- submission

    /**
     * Queues an operation and returns the address of its entry, for the fields that few operations
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
        assert isConfined();
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

    private static void address(long entry, long value) {
        MEMORY.set(JAVA_LONG, entry + 16, value);
    }

    static void offset(long entry, long value) {
        MEMORY.set(JAVA_LONG, entry + 8, value);
    }

    static void fileIndex(long entry, int value) {
        MEMORY.set(JAVA_INT, entry + 44, value);
    }

    /** Ends a multishot receive behind so many bytes; 0 for no limit. Since Linux 6.17. */
    static void limit(long entry, int bytes) {
        MEMORY.set(JAVA_INT, entry + 44, bytes);
    }

    static void address3(long entry, long value) {
        MEMORY.set(JAVA_LONG, entry + 48, value);
    }

    static void bufferGroup(long entry) {
        MEMORY.set(JAVA_SHORT, entry + 40, (short) ReceiveBuffers.GROUP);
    }

    boolean hasUnsubmitted() {
        return tail != submitted;
    }

    /**
     * Submits what is queued, waits for {@code least} completions, and lets the kernel post those
     * that are due.
     */
    void submit(int least) {
        assert isConfined();
        buffers.publish();
        enter(least, ENTER_GETEVENTS);
    }

    /** Submits what is queued, and neither waits nor has completions posted that are due. */
    void submitNow() {
        if (hasUnsubmitted()) {
            enter(0, 0);
        }
    }

    private void enter(int least, int flags) {
        if (failure != null) {
            throw new IllegalStateException(failure);
        }
        INT.setRelease(MEMORY, sqTail, tail);
        int count = tail - submitted;
        long result;
        try {
            result = failing != 0 ? -failing : enter(count, least, flags);
        } catch (OutOfMemoryError e) { // of the call: it is made again in the next turn
            submitted = (int) INT.getAcquire(MEMORY, sqHead);
            return;
        }
        if (result >= 0) {
            submitted += (int) result;
            failures = 0;
        } else if (result != -Linux.EINTR) {
            failed((int) -result);
        }
    }

    private long enter(int count, int least, int flags) {
        return registered >= 0
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
    }

    /**
     * The kernel may be out of memory for a moment: then it is asked again, less and less often,
     * but not for ever. Once that is over, or at any other failure, the ring is of no use any more,
     * and each call says why.
     */
    private void failed(int errno) {
        long now = System.nanoTime();
        if (failures++ == 0) {
            failingSince = now;
        }
        long since = now - failingSince;
        boolean passing = errno == Linux.EAGAIN || errno == Linux.EBUSY;
        if (!passing || since > patienceNanos) {
            failure =
                    "io_uring_enter fails: %s (%d times within %d ms, %d operations to submit)"
                            .formatted(
                                    Linux.reason(errno),
                                    failures,
                                    since / 1_000_000,
                                    tail - submitted);
            throw new IllegalStateException(failure);
        }
        if (failures > AT_ONCE) {
            owner.pause(PAUSE_NANOS);
        } else {
            Thread.onSpinWait();
        }
    }

    /** Returns why it is of no use any more; null while it works. */
    String failure() {
        return failure;
    }

    private boolean isConfined() {
        if (!owner.inLoop()) {
            throw new AssertionError(
                    Thread.currentThread() + " touches what belongs to another loop");
        }
        return true;
    }

    // ---- completion

    /** Returns how many completions can be read now. */
    int due() {
        assert isConfined();
        return (earlyTo - earlyFrom >> 1) + lastCompletion() - head;
    }

    private int lastCompletion() {
        return (int) INT.getAcquire(MEMORY, cqTail);
    }

    /**
     * Returns whether the kernel keeps completions back for which there was no room in the queue.
     */
    boolean overflowed() {
        return ((int) INT.getAcquire(MEMORY, sqFlags) & SQ_CQ_OVERFLOW) != 0;
    }

    /**
     * Returns whether the kernel has events of this secondary ring to handle. One call of it
     * handles twenty, and those that post no completion do not signal the eventfd: then nothing
     * else tells of the rest.
     */
    boolean hasEvents() {
        return ((int) INT.getAcquire(MEMORY, sqFlags) & SQ_TASKRUN) != 0;
    }

    /** Returns the user data of the next completion, of those {@link #due}. */
    long nextUserData() {
        return earlyFrom == earlyTo ? MEMORY.get(JAVA_LONG, next()) : early[earlyFrom];
    }

    /** Takes the next completion: its result in the lower half, its flags in the upper one. */
    long take() {
        if (earlyFrom != earlyTo) {
            long outcome = early[earlyFrom + 1];
            earlyFrom += 2;
            return outcome;
        }
        long outcome = MEMORY.get(JAVA_LONG, next() + 8);
        head++;
        return outcome;
    }

    /** Returns the address of the next completion in the queue. */
    private long next() {
        return completions + ((long) (head & cqMask) << 4);
    }

    /** Returns the places of all completions that were taken to the kernel. */
    void consumed() {
        INT.setRelease(MEMORY, cqHead, head);
    }

    /**
     * Submits what is queued and returns the result of the operation {@code about}, which must be
     * one that the kernel completes at once. All other completions are kept for {@link #take}, in
     * their order. The user data must be its own among all that may be under way.
     *
     * @return the result, or {@code -EBUSY} when it has not completed: then it will come with the
     *     others
     */
    int await(long about) {
        while (true) {
            submit(0);
            int end = lastCompletion();
            for (int index = head; index != end; index++) {
                long completion = completions + ((long) (index & cqMask) << 4);
                if (MEMORY.get(JAVA_LONG, completion) == about) {
                    MEMORY.set(JAVA_LONG, completion, 0L); // its place stays, and says nothing
                    return MEMORY.get(JAVA_INT, completion + 8);
                }
            }
            if (!hasUnsubmitted() && !overflowed()) {
                return -Linux.EBUSY;
            }
            readAhead(end); // so that there is room for what the kernel keeps back
        }
    }

    private void readAhead(int end) {
        if (earlyFrom == earlyTo) {
            earlyFrom = 0;
            earlyTo = 0;
        }
        int size = earlyTo + 2 * (end - head);
        if (size > early.length) {
            early = Arrays.copyOf(early, Math.max(size, early.length * 2));
        }
        while (head != end) {
            long completion = next();
            early[earlyTo++] = MEMORY.get(JAVA_LONG, completion);
            early[earlyTo++] = MEMORY.get(JAVA_LONG, completion + 8);
            head++;
        }
        consumed();
    }

    // ---- messages in several parts

    /**
     * Sends a chunk and those behind it as one {@link ChunkMessage}. The kernel reads that when the
     * entry is submitted, so each entry has a place for one of its own, which is free again when
     * the entry is.
     */
    void sendMessage(int slot, OutputChunk first, long userData) {
        if (messages == 0) {
            long memory = Linux.memory(sqSize * MESSAGE);
            if (memory < 0) {
                throw new OutOfMemoryError("mmap of messages");
            }
            messages = memory;
        }
        long entry = entry(SENDMSG, FIXED_FILE, slot, 0, 1, Linux.MSG_NOSIGNAL, userData);
        long message = messages + (entry - entries >> 6) * MESSAGE;
        address(entry, message);
        ChunkMessage.write(message, first);
    }

    /**
     * Cancels the operation with this user data. The kernel finds that in a hash table, while by
     * descriptor it would look at everything.
     */
    void cancel(long about) {
        entry(ASYNC_CANCEL, SKIP_SUCCESS, -1, about, 0, 0, 0);
    }

    /** Submits before a descriptor is closed; a ring that has failed does not prevent that. */
    void submitIfItWorks() {
        try {
            submit(0);
        } catch (IllegalStateException e) {
            // it is why the loop ends
        }
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        Linux.close(descriptor);
        closed = true;
        Linux.munmap(entries, entriesLength);
        Linux.munmap(queues, queuesLength);
        buffers.close();
        if (messages > 0) {
            Linux.munmap(messages, sqSize * MESSAGE);
        }
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
        if (result == -Linux.ENOMEM) {
            throw new IOException(
                    Linux.failure(what, result).getMessage()
                            + "; the limit of locked memory (ulimit -l) may be too low");
        }
        if (result < 0) {
            throw Linux.failure(what, result);
        }
        return result;
    }
}
