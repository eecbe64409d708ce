// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Tells whether a filter of system calls (seccomp(2)) would kill a process that calls
 * io_uring_setup(2). Most filters make the call fail, with EPERM or ENOSYS; some kill. A filtered
 * process therefore makes the call in a child first, once. Any thread.
 */
public final class SystemCallFilter {
    private static final int SYS_IO_URING_SETUP = 425;
    private static final int SYS_WAIT4 = Linux.X86_64 ? 61 : 260;
    private static final int SYS_PRLIMIT64 = Linux.X86_64 ? 302 : 261;
    private static final int RLIMIT_CORE = 4;
    private static final int SIGCHLD = 17;
    private static final int STACK = 64 << 10;
    private static final MemorySegment SYSCALL =
            Linker.nativeLinker().defaultLookup().findOrThrow("syscall");
    private static final int SYS_KILL = Linux.X86_64 ? 62 : 129;
    private static final long PATIENCE = 2_000_000_000; // nanoseconds

    private SystemCallFilter() {}

    /** The answer, which is the same for the life of the process. */
    private static final class Rings {
        static final String REFUSAL = refusal();
    }

    /**
     * Returns if the process may ask for a ring and lives on, whatever the answer.
     *
     * @throws IOException if the filter would end the process
     */
    public static void requireRings() throws IOException {
        if (Rings.REFUSAL != null) {
            throw new IOException(Rings.REFUSAL);
        }
    }

    private static String refusal() {
        try {
            return isFiltered() && !childSurvives() ? "a filter of system calls forbids it" : null;
        } catch (IOException e) {
            return null; // there is no /proc: ask
        }
    }

    /** Returns whether a filter is active. */
    private static boolean isFiltered() throws IOException {
        try (var lines = Files.lines(Path.of("/proc/self/status"))) {
            return lines.anyMatch(line -> line.matches("Seccomp:\\s*2"));
        }
    }

    /**
     * Asks in a child, and returns whether it has ended by itself.
     *
     * <p>The child is a copy of the JVM with one thread, which must not run Java: a safepoint, or a
     * lock that another thread held, would never end. So it starts in the C function {@code
     * syscall}, with the number of the call as its only argument, and ends when that returns. The
     * other arguments of the call are whatever the registers hold, for which the kernel returns an
     * error, after the filter; a ring, if there were one, would end with the child.
     */
    private static boolean childSurvives() {
        MethodHandle syscall = Linux.criticalCall("syscall");
        MethodHandle clone = Linux.criticalCall("clone");
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = Linux.state(arena);
            MemorySegment limits = arena.allocate(32, 8); // of core dumps: none, and as it was
            long none = limits.address();
            long before = none + 16;
            long stack = arena.allocate(STACK, 16).address() + STACK; // it grows downwards
            Linux.invoke(syscall, state, SYS_PRLIMIT64, 0, RLIMIT_CORE, 0, before, 0);
            limits.set(JAVA_LONG, 8, limits.get(JAVA_LONG, 24)); // the hard limit stays
            Linux.invoke(syscall, state, SYS_PRLIMIT64, 0, RLIMIT_CORE, none, 0, 0);
            int child =
                    Linux.invokeInt(
                            clone, state, SYSCALL.address(), stack, SIGCHLD, SYS_IO_URING_SETUP, 0);
            Linux.invoke(syscall, state, SYS_PRLIMIT64, 0, RLIMIT_CORE, before, 0, 0);
            return child > 0 && endsByItself(syscall, state, child, arena.allocate(8, 8));
        }
    }

    private static boolean endsByItself(
            MethodHandle syscall, MemorySegment state, long child, MemorySegment status) {
        final int noHang = 1;
        final int sigKill = 9;
        long begun = System.nanoTime();
        while (true) {
            long ended =
                    Linux.invoke(syscall, state, SYS_WAIT4, child, status.address(), noHang, 0, 0);
            if (ended == child) {
                int how = status.get(JAVA_INT, 0);
                return (how & 0x7f) == 0; // no signal has ended it
            }
            if (ended < 0 || System.nanoTime() - begun > PATIENCE) {
                Linux.invoke(syscall, state, SYS_KILL, child, sigKill, 0, 0, 0);
                Linux.invoke(syscall, state, SYS_WAIT4, child, status.address(), 0, 0, 0);
                return false;
            }
            Thread.onSpinWait();
        }
    }
}
