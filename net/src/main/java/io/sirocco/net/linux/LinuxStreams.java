// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Calls on stream sockets that never block, for the epoll transport. None of them allocates. A
 * failed call returns {@code -errno}; {@code state} receives errno and is the caller's own, as in
 * {@link Linux#invoke}.
 *
 * <p>They are critical downcalls: the thread stays in Java, so the JVM cannot collect garbage until
 * a call returns, which on a socket is a matter of microseconds. Any thread.
 */
public final class LinuxStreams {
    public static final int EINPROGRESS = 115;

    private static final int SO_ERROR = 4;
    private static final int SHUT_WR = 1;

    private static final MethodHandle ACCEPT4 = Linux.criticalCall("accept4");
    private static final MethodHandle CONNECT = Linux.criticalCall("connect");
    private static final MethodHandle SENDMSG = Linux.criticalCall("sendmsg");
    private static final MethodHandle SHUTDOWN = Linux.criticalCall("shutdown");
    private static final MethodHandle GETSOCKOPT = Linux.criticalCall("getsockopt");

    // glibc's recv and send are cancellation points, which costs extra work in each call; syscall
    // is not. Other processors may have other numbers.
    private static final boolean NUMBERS_KNOWN =
            Linux.X86_64 || System.getProperty("os.arch").equals("aarch64");
    private static final long SYS_SENDTO = Linux.X86_64 ? 44 : 206;
    private static final long SYS_RECVFROM = Linux.X86_64 ? 45 : 207;
    private static final MethodHandle SYSCALL = Linux.criticalCall("syscall");
    private static final MethodHandle RECV = Linux.criticalCall("recv");
    private static final MethodHandle SEND = Linux.criticalCall("send");

    private LinuxStreams() {}

    /** Accepts a connection, whose descriptor neither blocks nor is inherited by programs. */
    public static int accept(MemorySegment state, int listener) {
        final int flags = Linux.SOCK_NONBLOCK | Linux.SOCK_CLOEXEC;
        return Linux.invokeInt(ACCEPT4, state, listener, 0, 0, flags, 0);
    }

    /** Begins to connect: usually {@code -EINPROGRESS}. */
    public static int connect(MemorySegment state, int descriptor, MemorySegment address) {
        long length = address.byteSize();
        return Linux.invokeInt(CONNECT, state, descriptor, address.address(), length, 0, 0);
    }

    /**
     * Returns and clears the pending error of the socket; 0 if there is none.
     *
     * @param scratch 8 bytes
     */
    public static int error(MemorySegment state, int descriptor, MemorySegment scratch) {
        long at = scratch.address();
        Linux.MEMORY.set(JAVA_INT, at + 4, 4);
        int result =
                Linux.invokeInt(
                        GETSOCKOPT, state, descriptor, Linux.SOL_SOCKET, SO_ERROR, at, at + 4);
        return result < 0 ? -result : Linux.MEMORY.get(JAVA_INT, at);
    }

    /** Receives up to {@code length} bytes to {@code address}; 0 at the end of the stream. */
    public static int receive(MemorySegment state, int descriptor, long address, int length) {
        final int flags = Linux.MSG_DONTWAIT;
        return transfer(SYS_RECVFROM, RECV, state, descriptor, address, length, flags);
    }

    /** Sends some of {@code length} bytes at {@code address}. */
    public static int send(MemorySegment state, int descriptor, long address, int length) {
        final int flags = Linux.MSG_DONTWAIT | Linux.MSG_NOSIGNAL;
        return transfer(SYS_SENDTO, SEND, state, descriptor, address, length, flags);
    }

    /** Makes the system call {@code number}, or calls {@code function} where that is not known. */
    private static int transfer(
            long number,
            MethodHandle function,
            MemorySegment state,
            int descriptor,
            long address,
            int length,
            int flags) {
        long result =
                NUMBERS_KNOWN
                        ? Linux.invoke(
                                SYSCALL, state, number, descriptor, address, length, flags, 0)
                        : Linux.invoke(function, state, descriptor, address, length, flags, 0, 0);
        return (int) result;
    }

    /** Sends some of what the {@code struct msghdr} at {@code message} refers to. */
    public static int sendMessage(MemorySegment state, int descriptor, long message) {
        final int flags = Linux.MSG_DONTWAIT | Linux.MSG_NOSIGNAL;
        return (int) Linux.invoke(SENDMSG, state, descriptor, message, flags, 0, 0, 0);
    }

    /** Ends our side of the stream. */
    public static int endOutput(MemorySegment state, int descriptor) {
        return Linux.invokeInt(SHUTDOWN, state, descriptor, SHUT_WR, 0, 0, 0);
    }
}
