// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.sirocco.net.log.LinkedErrors;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The calls of the C library that both transports of Linux need, through the foreign-function API.
 * Addresses and descriptors are plain numbers; a failed call returns {@code -errno}. Any thread.
 */
public final class Linux {
    static {
        LinkedErrors.link(Throwable.class, OutOfMemoryError.class);
    }

    public static final int EINTR = 4;
    public static final int EAGAIN = 11;
    public static final int ENOMEM = 12;
    public static final int EBUSY = 16;
    public static final int ENFILE = 23;
    public static final int EMFILE = 24;
    public static final int ENOBUFS = 105;
    public static final int ECANCELED = 125;

    public static final int AF_UNIX = 1;
    public static final int AF_INET = 2;
    public static final int AF_INET6 = 10;
    public static final int SOCK_STREAM = 1;
    public static final int SOCK_DGRAM = 2;
    public static final int SOCK_NONBLOCK = 0x800;
    public static final int SOCK_CLOEXEC = 0x80000;
    public static final int SOL_SOCKET = 1;
    public static final int SO_REUSEADDR = 2;
    public static final int SO_BROADCAST = 6;
    public static final int SO_LINGER = 13;
    public static final int SO_REUSEPORT = 15;
    public static final int IPPROTO_IP = 0;
    public static final int IP_BIND_ADDRESS_NO_PORT = 24;
    public static final int IPPROTO_TCP = 6;
    public static final int TCP_NODELAY = 1;
    public static final int TCP_NOTSENT_LOWAT = 25;
    public static final int IPPROTO_IPV6 = 41;
    public static final int IPV6_V6ONLY = 26;
    public static final int MSG_DONTWAIT = 0x40;
    public static final int MSG_NOSIGNAL = 0x4000;

    /** Whether the processor is an x86-64: numbers of system calls and some structures differ. */
    static final boolean X86_64 = System.getProperty("os.arch").equals("amd64");

    /** All of memory, for addresses that the kernel gave us. */
    public static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private static final Linker LINKER = Linker.nativeLinker();
    private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");

    /** Of errno in the captured state. To ask the layout would slow each start; a test does. */
    public static final long ERRNO_OFFSET = 0;

    /**
     * Every call below is made as if it were declared so: seven integers in, one out. The ABIs of
     * Linux pass integers in registers of 64 bits, of which a function looks at those that it
     * declares. A shape takes the JVM about 5 ms to link, once; one for each signature would be a
     * third of the time that a server takes to start.
     */
    private static final FunctionDescriptor SHAPE =
            FunctionDescriptor.of(
                    JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG,
                    JAVA_LONG);

    private static final MethodHandle SYSCALL = call("syscall");
    private static final MethodHandle MMAP = call("mmap");
    private static final MethodHandle MUNMAP = release("munmap");
    private static final MethodHandle MALLOC = call("malloc");
    private static final MethodHandle FREE = release("free");
    private static final MethodHandle SOCKET = call("socket");
    private static final MethodHandle BIND = call("bind");
    private static final MethodHandle LISTEN = call("listen");
    private static final MethodHandle SETSOCKOPT = call("setsockopt");
    private static final MethodHandle GETSOCKNAME = call("getsockname");
    private static final MethodHandle GETPEERNAME = call("getpeername");
    private static final MethodHandle CLOSE = release("close");
    private static final MethodHandle EVENTFD = call("eventfd");
    private static final MethodHandle EVENTFD_WRITE = call("eventfd_write");
    private static final MethodHandle GETRLIMIT = call("getrlimit");
    private static final MethodHandle STRERROR = call("strerror");

    /** For errno where nobody asks for it. */
    private static final MemorySegment UNREAD = state(Arena.global());

    private static final int RLIMIT_NOFILE = 7;

    static {
        close(-1); // links the call: when a loop has died there may be no heap for that
    }

    private Linux() {}

    /** A call that failed, with the system's words for it. */
    public static IOException failure(String what, long result) {
        return new IOException(what + ": " + reason((int) -result));
    }

    /** The system's words for {@code errno}. */
    public static String reason(int errno) {
        long words = address(STRERROR, errno, 0, 0, 0, 0, 0);
        return MemorySegment.ofAddress(words).reinterpret(1024).getString(0);
    }

    /** Returns whether the kernel is of this version or a later one. */
    public static boolean isAtLeast(int major, int minor) {
        String[] version = System.getProperty("os.version").split("[^0-9]+", 3);
        try {
            int has = Integer.parseInt(version[0]);
            return has > major || has == major && Integer.parseInt(version[1]) >= minor;
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            return false;
        }
    }

    /** {@code syscall(2)}; {@code state} receives errno and is the caller's own. */
    public static long syscall(
            MemorySegment state, long number, long a, long b, long c, long d, long e, long f) {
        try {
            long result = (long) SYSCALL.invokeExact(state, number, a, b, c, d, e, f);
            return result < 0 ? -state.get(JAVA_INT, ERRNO_OFFSET) : result;
        } catch (OutOfMemoryError none) {
            throw none;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /** Memory for the errno of one thread's calls. */
    public static MemorySegment state(Arena arena) {
        return arena.allocate(Linker.Option.captureStateLayout());
    }

    public static long mmap(long length, int descriptor, long offset) {
        final int readWrite = 3;
        final int sharedPopulate = 0x8001;
        return address(MMAP, 0, length, readWrite, sharedPopulate, descriptor, offset);
    }

    /** Empty memory, of which a page costs nothing until it is written to. */
    public static long memory(long length) {
        final int readWrite = 3;
        final int privateAnonymous = 0x22;
        return address(MMAP, 0, length, readWrite, privateAnonymous, -1, 0);
    }

    public static void munmap(long address, long length) {
        release(MUNMAP, address, length);
    }

    /** Memory whose content is undefined. */
    public static long malloc(long length) {
        long address = address(MALLOC, length, 0, 0, 0, 0, 0);
        if (address == 0) {
            throw new OutOfMemoryError("malloc of " + length + " bytes");
        }
        return address;
    }

    public static void free(long address) {
        release(FREE, address, 0);
    }

    public static int socket(int family, int type) {
        return number(SOCKET, family, type | SOCK_CLOEXEC, 0, 0, 0);
    }

    public static int bind(int descriptor, MemorySegment address) {
        return number(BIND, descriptor, address.address(), address.byteSize(), 0, 0);
    }

    public static int listen(int descriptor, int backlog) {
        return number(LISTEN, descriptor, backlog, 0, 0, 0);
    }

    /** {@code values} are one number, or the fields of the structure that the option takes. */
    public static int setOption(int descriptor, int level, int option, int... values) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocateFrom(JAVA_INT, values);
            return number(SETSOCKOPT, descriptor, level, option, value.address(), value.byteSize());
        }
    }

    /** Writes the local or the peer's address into {@code into}; returns its length. */
    public static int name(int descriptor, boolean peer, MemorySegment into) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment length = arena.allocateFrom(JAVA_INT, (int) into.byteSize());
            int result =
                    number(
                            peer ? GETPEERNAME : GETSOCKNAME,
                            descriptor,
                            into.address(),
                            length.address(),
                            0,
                            0);
            return result < 0 ? result : length.get(JAVA_INT, 0);
        }
    }

    public static void close(int descriptor) {
        release(CLOSE, descriptor, 0);
    }

    /** A call that gives something back, whatever its outcome: it allocates nothing. */
    private static void release(MethodHandle function, long a, long b) {
        try {
            long ignored = (long) function.invokeExact(a, b, 0L, 0L, 0L, 0L, 0L);
        } catch (OutOfMemoryError none) {
            throw none;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    public static int eventfd() {
        final int nonBlockingCloseOnExec = 0x80800;
        return number(EVENTFD, 0, nonBlockingCloseOnExec, 0, 0, 0);
    }

    public static void signal(int eventfd) {
        try {
            long ignored =
                    (long)
                            EVENTFD_WRITE.invokeExact(
                                    UNREAD, (long) eventfd, 1L, 0L, 0L, 0L, 0L, 0L);
        } catch (OutOfMemoryError none) {
            throw none;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /**
     * Returns how many files the process may have open: also the size of a table of direct
     * descriptors.
     */
    public static int openFilesLimit() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment limit = arena.allocate(16, 8);
            number(GETRLIMIT, RLIMIT_NOFILE, limit.address(), 0, 0, 0);
            return Math.clamp(limit.get(JAVA_LONG, 0), 64, 1 << 20);
        }
    }

    /** A call of a function that returns an {@code int}, and -1 when it fails. */
    private static int number(MethodHandle function, long a, long b, long c, long d, long e) {
        try (Arena arena = Arena.ofConfined()) {
            return invokeInt(function, state(arena), a, b, c, d, e);
        }
    }

    /** A call of a function that returns a {@code long} or an address, and -1 when it fails. */
    private static long address(
            MethodHandle function, long a, long b, long c, long d, long e, long f) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = state(arena);
            long result = (long) function.invokeExact(state, a, b, c, d, e, f, 0L);
            return result == -1 ? -state.get(JAVA_INT, ERRNO_OFFSET) : result;
        } catch (OutOfMemoryError none) {
            throw none;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /**
     * A call whose errno goes to the caller's own {@code state}: for those made often. The function
     * returns a {@code long}, and -1 when it fails.
     */
    public static long invoke(
            MethodHandle function,
            MemorySegment state,
            long a,
            long b,
            long c,
            long d,
            long e,
            long f) {
        try {
            long result = (long) function.invokeExact(state, a, b, c, d, e, f, 0L);
            return result < 0 ? -state.get(JAVA_INT, ERRNO_OFFSET) : result;
        } catch (OutOfMemoryError none) {
            throw none;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /** As {@link #invoke}, of a function that returns an {@code int}. */
    public static int invokeInt(
            MethodHandle function, MemorySegment state, long a, long b, long c, long d, long e) {
        try {
            long result = (long) function.invokeExact(state, a, b, c, d, e, 0L, 0L);
            int lower = (int) result; // what is above it is left over from something else
            return lower < 0 ? -state.get(JAVA_INT, ERRNO_OFFSET) : lower;
        } catch (OutOfMemoryError none) {
            throw none;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /**
     * Links a function that frees a resource. It captures no errno: with errno the first hundred
     * calls or so may allocate, and a loop that dies for want of heap could not close its sockets.
     */
    private static MethodHandle release(String name) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), SHAPE);
    }

    /** A function of the C library. */
    public static MethodHandle call(String name) {
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(name),
                SHAPE,
                ERRNO,
                Linker.Option.firstVariadicArg(1)); // syscall is variadic; others do not mind
    }

    /** A function that never blocks, called without leaving Java. */
    public static MethodHandle criticalCall(String name) {
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(name),
                SHAPE,
                ERRNO,
                Linker.Option.critical(false));
    }
}
