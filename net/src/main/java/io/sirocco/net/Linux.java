// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;

/**
 * The calls of the C library that the io_uring transport needs, through the foreign-function API.
 * Addresses and descriptors are plain numbers; a failed call answers {@code -errno}. Any thread.
 */
final class Linux {
    static final int EINTR = 4;
    static final int EAGAIN = 11;
    static final int ENOMEM = 12;
    static final int EBUSY = 16;
    static final int ENFILE = 23;
    static final int EMFILE = 24;
    static final int EADDRINUSE = 98;
    static final int ENOBUFS = 105;
    static final int ECANCELED = 125;

    static final int AF_UNIX = 1;
    static final int AF_INET = 2;
    static final int AF_INET6 = 10;
    static final int SOCK_STREAM = 1;
    static final int SOCK_DGRAM = 2;
    static final int SOCK_NONBLOCK = 0x800;
    static final int SOCK_CLOEXEC = 0x80000;
    static final int SOL_SOCKET = 1;
    static final int SO_REUSEADDR = 2;
    static final int SO_LINGER = 13;
    static final int SO_REUSEPORT = 15;
    static final int IPPROTO_IP = 0;
    static final int IP_BIND_ADDRESS_NO_PORT = 24;
    static final int IPPROTO_TCP = 6;
    static final int TCP_NODELAY = 1;
    static final int TCP_NOTSENT_LOWAT = 25;
    static final int IPPROTO_IPV6 = 41;
    static final int IPV6_V6ONLY = 26;
    static final int MSG_DONTWAIT = 0x40;
    static final int MSG_NOSIGNAL = 0x4000;

    /** All of memory, for addresses that the kernel gave us. */
    static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private static final Linker LINKER = Linker.nativeLinker();
    private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
    private static final Linker.Option CRITICAL = Linker.Option.critical(false);
    private static final long ERRNO_OFFSET =
            Linker.Option.captureStateLayout()
                    .byteOffset(MemoryLayout.PathElement.groupElement("errno"));

    private static final MethodHandle SYSCALL =
            LINKER.downcallHandle(
                    LINKER.defaultLookup().findOrThrow("syscall"),
                    FunctionDescriptor.of(
                            JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG,
                            JAVA_LONG, JAVA_LONG),
                    ERRNO,
                    Linker.Option.firstVariadicArg(1));
    private static final MethodHandle MMAP =
            call(
                    "mmap",
                    FunctionDescriptor.of(
                            JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT,
                            JAVA_LONG));
    private static final MethodHandle MUNMAP =
            call("munmap", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle SOCKET =
            call("socket", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle BIND =
            call("bind", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT));
    private static final MethodHandle LISTEN =
            call("listen", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle SETSOCKOPT =
            call(
                    "setsockopt",
                    FunctionDescriptor.of(
                            JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT));
    private static final MethodHandle GETSOCKNAME =
            call("getsockname", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle GETPEERNAME =
            call("getpeername", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle CLOSE =
            call("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final MethodHandle EVENTFD =
            call("eventfd", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle GETRLIMIT =
            call("getrlimit", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle STRERROR =
            LINKER.downcallHandle(
                    LINKER.defaultLookup().findOrThrow("strerror"),
                    FunctionDescriptor.of(JAVA_LONG, JAVA_INT));
    // These two never block, so they may keep the thread from reaching a safepoint for their few
    // hundred nanoseconds.
    private static final MethodHandle EVENTFD_WRITE =
            quickCall("eventfd_write", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle RECVFROM =
            call(
                    "recvfrom",
                    FunctionDescriptor.of(
                            JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG,
                            JAVA_LONG));
    private static final MethodHandle SENDTO =
            call(
                    "sendto",
                    FunctionDescriptor.of(
                            JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG,
                            JAVA_INT));

    private static final int RLIMIT_NOFILE = 7;

    private Linux() {}

    /** A call that failed, with the system's words for it. */
    static IOException failure(String what, long result) {
        return new IOException(what + ": " + reason((int) -result));
    }

    /** The system's words for {@code errno}. */
    static String reason(int errno) {
        try {
            return MemorySegment.ofAddress((long) STRERROR.invokeExact(errno))
                    .reinterpret(1024)
                    .getString(0);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /** {@code syscall(2)}; {@code state} receives errno and is the caller's own. */
    static long syscall(
            MemorySegment state, long number, long a, long b, long c, long d, long e, long f) {
        try {
            long result = (long) SYSCALL.invokeExact(state, number, a, b, c, d, e, f);
            return result < 0 ? -state.get(JAVA_INT, ERRNO_OFFSET) : result;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /** Memory for the errno of one thread's calls. */
    static MemorySegment state(Arena arena) {
        return arena.allocate(Linker.Option.captureStateLayout());
    }

    static long mmap(long length, int descriptor, long offset) {
        final int readWrite = 3;
        final int sharedPopulate = 0x8001;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = state(arena);
            long address =
                    (long)
                            MMAP.invokeExact(
                                    state,
                                    0L,
                                    length,
                                    readWrite,
                                    sharedPopulate,
                                    descriptor,
                                    offset);
            return address == -1 ? -state.get(JAVA_INT, ERRNO_OFFSET) : address;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    static void munmap(long address, long length) {
        try (Arena arena = Arena.ofConfined()) {
            int ignored = (int) MUNMAP.invokeExact(state(arena), address, length);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    static int socket(int family, int type) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = state(arena);
            return result(state, (int) SOCKET.invokeExact(state, family, type | SOCK_CLOEXEC, 0));
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    static int bind(int descriptor, MemorySegment address) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = state(arena);
            return result(
                    state,
                    (int)
                            BIND.invokeExact(
                                    state,
                                    descriptor,
                                    address.address(),
                                    (int) address.byteSize()));
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    static int listen(int descriptor, int backlog) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = state(arena);
            return result(state, (int) LISTEN.invokeExact(state, descriptor, backlog));
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /** {@code values} are one number, or the fields of the structure that the option takes. */
    static int setOption(int descriptor, int level, int option, int... values) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = state(arena);
            MemorySegment value = arena.allocateFrom(JAVA_INT, values);
            int size = (int) value.byteSize();
            return result(
                    state,
                    (int)
                            SETSOCKOPT.invokeExact(
                                    state, descriptor, level, option, value.address(), size));
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /** Writes the local or the peer's address into {@code into}; answers its length. */
    static int name(int descriptor, boolean peer, MemorySegment into) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = state(arena);
            MemorySegment length = arena.allocateFrom(JAVA_INT, (int) into.byteSize());
            int result =
                    peer
                            ? (int)
                                    GETPEERNAME.invokeExact(
                                            state, descriptor, into.address(), length.address())
                            : (int)
                                    GETSOCKNAME.invokeExact(
                                            state, descriptor, into.address(), length.address());
            return result < 0 ? result(state, result) : length.get(JAVA_INT, 0);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    static void close(int descriptor) {
        try (Arena arena = Arena.ofConfined()) {
            int ignored = (int) CLOSE.invokeExact(state(arena), descriptor);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    static int eventfd() {
        final int nonBlockingCloseOnExec = 0x80800;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = state(arena);
            return result(state, (int) EVENTFD.invokeExact(state, 0, nonBlockingCloseOnExec));
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    static void signal(int eventfd) {
        try {
            int ignored = (int) EVENTFD_WRITE.invokeExact(eventfd, 1L);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /** How many files the process may have open: also the size of a table of direct descriptors. */
    static int openFilesLimit() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment limit = arena.allocate(16, 8);
            int ignored = (int) GETRLIMIT.invokeExact(state(arena), RLIMIT_NOFILE, limit.address());
            return Math.clamp(limit.get(JAVA_LONG, 0), 64, 1 << 20);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    static long receiveFrom(
            MemorySegment state,
            int descriptor,
            MemorySegment into,
            MemorySegment from,
            MemorySegment fromLength) {
        try {
            long n =
                    (long)
                            RECVFROM.invokeExact(
                                    state,
                                    descriptor,
                                    into.address(),
                                    into.byteSize(),
                                    MSG_DONTWAIT,
                                    from.address(),
                                    fromLength.address());
            return n < 0 ? -state.get(JAVA_INT, ERRNO_OFFSET) : n;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    static long sendTo(
            MemorySegment state,
            int descriptor,
            MemorySegment bytes,
            int length,
            MemorySegment to,
            int toLength) {
        try {
            long n =
                    (long)
                            SENDTO.invokeExact(
                                    state,
                                    descriptor,
                                    bytes.address(),
                                    (long) length,
                                    MSG_DONTWAIT | MSG_NOSIGNAL,
                                    to.address(),
                                    toLength);
            return n < 0 ? -state.get(JAVA_INT, ERRNO_OFFSET) : n;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    private static int result(MemorySegment state, int result) {
        return result < 0 ? -state.get(JAVA_INT, ERRNO_OFFSET) : result;
    }

    static long result(MemorySegment state, long result) {
        return result < 0 ? -state.get(JAVA_INT, ERRNO_OFFSET) : result;
    }

    /** A function of the C library that leaves its errno in the state which it is given. */
    static MethodHandle call(String name, FunctionDescriptor type) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), type, ERRNO);
    }

    /** One that never blocks, and whose errno nobody asks for. */
    static MethodHandle quickCall(String name, FunctionDescriptor type, Linker.Option... further) {
        var options = new ArrayList<>(List.of(further));
        options.add(CRITICAL);
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(name),
                type,
                options.toArray(Linker.Option[]::new));
    }
}
