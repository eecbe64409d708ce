// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.Arena;
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
    private static final boolean X86 = System.getProperty("os.arch").equals("amd64");
    private static final int SYS_IO_URING_SETUP = 425;
    private static final int SYS_GETPID = X86 ? 39 : 172;
    private static final int SYS_EXIT_GROUP = X86 ? 231 : 94;
    private static final int SYS_WAIT4 = X86 ? 61 : 260;
    private static final int SYS_PRLIMIT64 = X86 ? 302 : 261;
    private static final int RLIMIT_CORE = 4;
    private static final int SYS_KILL = X86 ? 62 : 129;
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
     * <p>The child is a copy of the JVM with this thread alone. Between fork and exit it makes
     * three system calls, all by a critical downcall whose handle has been called before: so it
     * neither allocates, nor links, nor stops for a safepoint, which nobody would end.
     */
    private static boolean childSurvives() {
        MethodHandle syscall = Linux.criticalCall("syscall");
        MethodHandle fork = Linux.criticalCall("fork");
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = Linux.state(arena);
            MemorySegment parameters = arena.allocate(128, 8);
            Linux.invoke(syscall, state, SYS_GETPID, 0, 0, 0, 0, 0);
            long child = ask(fork, syscall, state, parameters.address());
            return child > 0 && endsByItself(syscall, state, child, arena.allocate(8, 8));
        }
    }

    /** Returns the number of the child, which runs this up to its exit. */
    private static long ask(
            MethodHandle fork, MethodHandle call, MemorySegment state, long memory) {
        int child = Linux.invokeInt(fork, state, 0, 0, 0, 0, 0);
        if (child == 0) {
            Linux.invoke(call, state, SYS_PRLIMIT64, 0, RLIMIT_CORE, memory, 0, 0); // no dump
            Linux.invoke(call, state, SYS_IO_URING_SETUP, 1, memory, 0, 0, 0);
            Linux.invoke(call, state, SYS_EXIT_GROUP, 0, 0, 0, 0, 0);
        }
        return child;
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
