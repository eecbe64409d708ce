// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Files of Linux by their descriptors: opened below a directory, inspected, read, and sent to a
 * socket by the kernel. A failed call returns {@code -errno}. Any thread.
 */
public final class LinuxFiles {
    public static final int ENOENT = 2;
    public static final int EACCES = 13;
    public static final int EPERM = 1;
    public static final int ENXIO = 6;
    public static final int EXDEV = 18;
    public static final int ENOTDIR = 20;
    public static final int ENAMETOOLONG = 36;
    public static final int ELOOP = 40;

    /** No link at all on the way (openat2(2)). */
    public static final int RESOLVE_NO_SYMLINKS = 4;

    /** No step leads above the directory, by {@code ..} or by a link. */
    public static final int RESOLVE_BENEATH = 8;

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

    private static final MethodHandle STATX = Linux.call("statx");
    private static final MethodHandle PREAD = Linux.call("pread");
    private static final MethodHandle PREADV2 = Linux.call("preadv2");
    private static final MethodHandle SENDFILE = Linux.call("sendfile");
    private static final MethodHandle SEND = Linux.call("send");

    private LinuxFiles() {}

    /** What statx(2) says of a file. Immutable. */
    public record Facts(int mode, long inode, long device, long size, long modifiedNanos) {
        private static final int TYPE = 0170000;
        private static final int REGULAR = 0100000;
        private static final int DIRECTORY = 0040000;

        public boolean isRegular() {
            return (mode & TYPE) == REGULAR;
        }

        public boolean isDirectory() {
            return (mode & TYPE) == DIRECTORY;
        }
    }

    /** Opens a directory to open others in, wherever links lead on the way to it. */
    public static int openRoot(String path) {
        return openat2(AT_FDCWD, path, O_PATH | O_CLOEXEC, 0);
    }

    /** Opens what lies at {@code path}, seen from {@code directory}, for reading. */
    public static int openIn(int directory, String path, int resolve) {
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
    public static Facts facts(int descriptor) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment s = arena.allocate(STATX_SIZE, 8);
            long result =
                    Linux.invoke(
                            STATX,
                            Linux.state(arena),
                            descriptor,
                            arena.allocateFrom("").address(),
                            AT_EMPTY_PATH,
                            STATX_BASIC_STATS,
                            s.address(),
                            0);
            if ((int) result < 0) { // it is an int
                return null;
            }
            return new Facts(
                    Short.toUnsignedInt(s.get(JAVA_SHORT, 28)),
                    s.get(JAVA_LONG, 32),
                    (long) s.get(JAVA_INT, 136) << 32 | s.get(JAVA_INT, 140),
                    s.get(JAVA_LONG, 40),
                    s.get(JAVA_LONG, 112) * 1_000_000_000 + s.get(JAVA_INT, 120));
        }
    }

    /** Reads up to {@code length} bytes at {@code position} to {@code address}; 0 at the end. */
    public static long read(
            MemorySegment state, int descriptor, long address, long length, long position) {
        return Linux.invoke(PREAD, state, descriptor, address, length, position, 0, 0);
    }

    /** Returns whether the byte at {@code position} can be had without waiting for a disk. */
    public static boolean atHand(
            MemorySegment state, MemorySegment scratch, int descriptor, long position) {
        scratch.set(JAVA_LONG, 0, scratch.address() + 16); // an iovec, and the byte behind it
        scratch.set(JAVA_LONG, 8, 1);
        long read =
                Linux.invoke(
                        PREADV2, state, descriptor, scratch.address(), 1, position, RWF_NOWAIT, 0);
        return read != -Linux.EAGAIN; // any other failure shows when it is sent
    }

    /**
     * Has the kernel send up to {@code length} bytes of {@code file} at {@code *position}, which
     * moves on; 0 at the end of the file.
     */
    public static long sendFile(
            MemorySegment state, int socket, int file, MemorySegment position, long length) {
        return Linux.invoke(SENDFILE, state, socket, file, position.address(), length, 0, 0);
    }

    /** Sends without blocking what more is to follow at once. */
    public static long sendBefore(MemorySegment state, int socket, long address, long length) {
        int flags = MSG_MORE | Linux.MSG_DONTWAIT | Linux.MSG_NOSIGNAL;
        return Linux.invoke(SEND, state, socket, address, length, flags, 0, 0);
    }
}
