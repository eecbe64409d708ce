// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Files of Linux by their descriptors: opened below a directory, asked what they are, read, and
 * sent to a socket by the kernel. A failed call answers {@code -errno}. Any thread.
 */
final class LinuxFiles {
    static final int ENOENT = 2;
    static final int EACCES = 13;
    static final int EPERM = 1;
    static final int ENXIO = 6;
    static final int EXDEV = 18;
    static final int ENOTDIR = 20;
    static final int EINVAL = 22;
    static final int ENAMETOOLONG = 36;
    static final int ENOSYS = 38;
    static final int ELOOP = 40;

    /** No link at all on the way (openat2(2)). */
    static final int RESOLVE_NO_SYMLINKS = 4;

    /** No step leads above the directory, by {@code ..} or by a link. */
    static final int RESOLVE_BENEATH = 8;

    private static final int RESOLVE_NO_MAGICLINKS = 2;
    private static final int SYS_OPENAT2 = 437;
    private static final int O_NONBLOCK = 0x800; // a pipe without a writer would be waited for
    private static final int O_CLOEXEC = 0x80000;
    private static final int O_PATH = 0x200000;
    private static final int AT_FDCWD = -100;
    private static final int AT_EMPTY_PATH = 0x1000;
    private static final int STATX_BASIC_STATS = 0x7ff;
    private static final int STATX_SIZE = 256;
    private static final int RWF_NOWAIT = 8;
    private static final int MSG_MORE = 0x8000;
    private static final int F_SETFL = 4;
    private static final int O_RDWR = 2;

    private static final MethodHandle STATX =
            Linux.call(
                    "statx",
                    FunctionDescriptor.of(
                            JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle PREAD =
            Linux.call(
                    "pread",
                    FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle PREADV2 =
            Linux.call(
                    "preadv2",
                    FunctionDescriptor.of(
                            JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT));
    private static final MethodHandle SENDFILE =
            Linux.call(
                    "sendfile",
                    FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle SEND =
            Linux.call(
                    "send",
                    FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));

    private static final MethodHandle FCNTL =
            Linux.quickCall(
                    "fcntl",
                    FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT),
                    Linker.Option.firstVariadicArg(2));

    private LinuxFiles() {}

    /** What statx(2) says of a file. Immutable. */
    record Facts(int mode, long inode, long device, long size, long modifiedNanos) {
        private static final int TYPE = 0170000;
        private static final int REGULAR = 0100000;
        private static final int DIRECTORY = 0040000;

        boolean isRegular() {
            return (mode & TYPE) == REGULAR;
        }

        boolean isDirectory() {
            return (mode & TYPE) == DIRECTORY;
        }
    }

    /** Opens a directory to open others in, wherever links lead on the way to it. */
    static int openRoot(String path) {
        return openat2(AT_FDCWD, path, O_PATH | O_CLOEXEC, 0);
    }

    /** Opens what lies at {@code path}, seen from {@code directory}, for reading. */
    static int openIn(int directory, String path, int resolve) {
        return openat2(directory, path, O_CLOEXEC | O_NONBLOCK, resolve | RESOLVE_NO_MAGICLINKS);
    }

    private static int openat2(int directory, String path, long flags, long resolve) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment how = arena.allocate(24, 8);
            how.set(JAVA_LONG, 0, flags);
            how.set(JAVA_LONG, 16, resolve);
            return (int)
                    Linux.syscall(
                            Linux.state(arena),
                            SYS_OPENAT2,
                            directory,
                            arena.allocateFrom(path).address(),
                            how.address(),
                            how.byteSize(),
                            0,
                            0);
        }
    }

    /** What the open file is; null when the kernel does not say. */
    static Facts facts(int descriptor) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment s = arena.allocate(STATX_SIZE, 8);
            int result =
                    (int)
                            STATX.invokeExact(
                                    Linux.state(arena),
                                    descriptor,
                                    arena.allocateFrom("").address(),
                                    AT_EMPTY_PATH,
                                    STATX_BASIC_STATS,
                                    s.address());
            if (result < 0) {
                return null;
            }
            return new Facts(
                    Short.toUnsignedInt(s.get(JAVA_SHORT, 28)),
                    s.get(JAVA_LONG, 32),
                    (long) s.get(JAVA_INT, 136) << 32 | s.get(JAVA_INT, 140),
                    s.get(JAVA_LONG, 40),
                    s.get(JAVA_LONG, 112) * 1_000_000_000 + s.get(JAVA_INT, 120));
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /** Reads up to {@code length} bytes at {@code position} to {@code address}; 0 at the end. */
    static long read(
            MemorySegment state, int descriptor, long address, long length, long position) {
        try {
            return Linux.result(
                    state, (long) PREAD.invokeExact(state, descriptor, address, length, position));
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /** Whether the byte at {@code position} can be had without waiting for a disk. */
    static boolean atHand(
            MemorySegment state, MemorySegment scratch, int descriptor, long position) {
        try {
            scratch.set(JAVA_LONG, 0, scratch.address() + 16); // an iovec, and the byte behind it
            scratch.set(JAVA_LONG, 8, 1);
            long read =
                    Linux.result(
                            state,
                            (long)
                                    PREADV2.invokeExact(
                                            state,
                                            descriptor,
                                            scratch.address(),
                                            1,
                                            position,
                                            RWF_NOWAIT));
            return read != -Linux.EAGAIN; // any other failure shows when it is sent
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /**
     * Has the kernel send up to {@code length} bytes of {@code file} at {@code *position}, which
     * moves on; 0 at the end of the file.
     */
    static long sendFile(
            MemorySegment state, int socket, int file, MemorySegment position, long length) {
        try {
            return Linux.result(
                    state,
                    (long) SENDFILE.invokeExact(state, socket, file, position.address(), length));
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /** Whether calls on {@code socket} wait until it takes something. */
    static void blocking(int socket, boolean on) {
        try {
            int ignored = (int) FCNTL.invokeExact(socket, F_SETFL, O_RDWR | (on ? 0 : O_NONBLOCK));
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /** Sends without blocking what more is to follow at once. */
    static long sendBefore(MemorySegment state, int socket, long address, long length) {
        int flags = MSG_MORE | Linux.MSG_DONTWAIT | Linux.MSG_NOSIGNAL;
        try {
            return Linux.result(
                    state, (long) SEND.invokeExact(state, socket, address, length, flags));
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }
}
