// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.linux;

import static io.sirocco.net.linux.Linux.MEMORY;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * A set of descriptors whose events {@code epoll_wait(2)} reports, and the events that it has
 * reported last. Confined to one thread at a time.
 */
public final class EpollSet {
    public static final int IN = 1;
    public static final int PRI = 2;
    public static final int OUT = 4;
    public static final int ERR = 8;
    public static final int HUP = 0x10;
    public static final int RDHUP = 0x2000;

    /** An event is reported once, when it occurs, not for as long as its condition holds. */
    public static final int EDGE = 1 << 31;

    private static final int ADD = 1;
    private static final int DELETE = 2;
    private static final int MODIFY = 3;
    private static final int CLOEXEC = 0x80000;
    private static final int SYS_EPOLL_PWAIT2 = 441;
    private static final int MAX_EVENTS = 512;

    // struct epoll_event is packed on x86-64 only
    private static final int EVENT = Linux.X86_64 ? 12 : 16;
    private static final int DATA = Linux.X86_64 ? 4 : 8;

    private static final MethodHandle CREATE = Linux.call("epoll_create1");
    private static final MethodHandle CONTROL = Linux.criticalCall("epoll_ctl");
    private static final MethodHandle LOOK = Linux.criticalCall("epoll_wait");
    private static final MethodHandle WAIT = Linux.call("epoll_wait");

    private final int descriptor;
    private final MemorySegment state;
    private final long events;
    private final long event; // one, for changes
    private final MemorySegment timespec;
    private boolean knowsNanoseconds = true; // until the kernel says that it does not

    /** Creates an empty set. */
    public EpollSet(Arena arena) throws IOException {
        state = Linux.state(arena);
        events = arena.allocate((long) MAX_EVENTS * EVENT, 64).address();
        event = arena.allocate(16, 8).address();
        timespec = arena.allocate(16, 8);
        int result = Linux.invokeInt(CREATE, state, CLOEXEC, 0, 0, 0, 0);
        descriptor = (int) LinuxSockets.check("epoll_create1", result);
    }

    /** Adds a descriptor, whose events come with {@code data}; returns {@code -errno} or 0. */
    public int add(int added, int interest, long data) {
        return control(ADD, added, interest, data);
    }

    /** Changes what is reported of a descriptor. With {@link #EDGE}, what holds now is reported. */
    public int modify(int modified, int interest, long data) {
        return control(MODIFY, modified, interest, data);
    }

    /** Removes a descriptor that stays open; one that is closed removes itself. */
    public int remove(int removed) {
        return control(DELETE, removed, 0, 0);
    }

    private int control(int operation, int of, int interest, long data) {
        MEMORY.set(JAVA_INT_UNALIGNED, event, interest);
        MEMORY.set(JAVA_LONG_UNALIGNED, event + DATA, data);
        return Linux.invokeInt(CONTROL, state, descriptor, operation, of, event, 0);
    }

    /** Returns the number of events there are, without waiting. */
    public int look() {
        return Math.max(0, Linux.invokeInt(LOOK, state, descriptor, events, MAX_EVENTS, 0, 0));
    }

    /**
     * Waits for events.
     *
     * @param nanos how long at most; negative: without limit
     * @return how many there are: 0 when the time is over or a signal has come
     */
    public int await(long nanos) {
        if (knowsNanoseconds) {
            timespec.set(JAVA_LONG, 0, nanos / 1_000_000_000);
            timespec.set(JAVA_LONG, 8, nanos % 1_000_000_000);
            long time = nanos < 0 ? 0 : timespec.address();
            long result =
                    Linux.syscall(
                            state, SYS_EPOLL_PWAIT2, descriptor, events, MAX_EVENTS, time, 0, 0);
            if (result >= 0 || result == -Linux.EINTR) {
                return Math.max(0, (int) result);
            }
            knowsNanoseconds = false; // before Linux 5.11, or a filter that does not know it
        }
        long millis = nanos < 0 ? -1 : Math.min(Integer.MAX_VALUE, (nanos + 999_999) / 1_000_000);
        return Math.max(0, Linux.invokeInt(WAIT, state, descriptor, events, MAX_EVENTS, millis, 0));
    }

    /** Returns the bits of an event, such as {@link #IN}. */
    public int ready(int index) {
        return MEMORY.get(JAVA_INT_UNALIGNED, events + (long) index * EVENT);
    }

    /** Returns the data that an event is about. */
    public long data(int index) {
        return MEMORY.get(JAVA_LONG_UNALIGNED, events + (long) index * EVENT + DATA);
    }

    /** Closes the set; the descriptors in it stay open. */
    public void close() {
        Linux.close(descriptor);
    }
}
