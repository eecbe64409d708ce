// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.sirocco.net.log.LazyLogger;
import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import sun.misc.Signal;

/**
 * Handles SIGTERM and SIGINT, which stop the server, SIGHUP, which reloads it, and SIGUSR1, which
 * reopens its logs. By default the JVM would end with status 143 or 130, and close its log while
 * the last requests run, or be killed by SIGUSR1.
 *
 * <p>{@code sun.misc.Signal} of the module {@code jdk.unsupported} is the only API for this. Where
 * it is missing, the JVM handles the signals. Any thread.
 */
final class Signals {
    private static final int HANG_UP = 1;

    private static final LazyLogger LOG = LazyLogger.of(Signals.class);

    private Signals() {}

    /** Runs {@code stop} at the first signal; a second one ends the process at once. */
    static void onStop(Runnable stop) {
        var asked = new AtomicBoolean();
        handle(
                List.of("TERM", "INT"),
                () -> {
                    if (asked.getAndSet(true)) {
                        Runtime.getRuntime().halt(130);
                    }
                    stop.run();
                });
    }

    /** Runs {@code reload} at each signal. It must return soon, because it delays other signals. */
    static void onHangUp(Runnable reload) {
        stopIgnoring(HANG_UP);
        handle(List.of("HUP"), reload);
    }

    /**
     * Runs {@code reopen} at each SIGUSR1, the signal that recipes for logrotate send to other
     * servers. It must return soon.
     */
    static void onReopen(Runnable reopen) {
        handle(List.of("USR1"), reopen);
    }

    /**
     * Restores the default action of a signal that the process has ignored since its start, as
     * under nohup: the JVM keeps ignoring such a signal even after a handler is registered.
     */
    private static void stopIgnoring(int number) {
        try {
            if (!ignored(number)) {
                return; // linking a call takes some milliseconds
            }
            Linker linker = Linker.nativeLinker();
            MemorySegment signal = linker.defaultLookup().findOrThrow("signal");
            var shape = FunctionDescriptor.of(ADDRESS, JAVA_INT, ADDRESS);
            var _ =
                    (MemorySegment)
                            linker.downcallHandle(signal, shape)
                                    .invokeExact(number, MemorySegment.NULL);
        } catch (Throwable e) {
            LOG.get()
                    .log(
                            System.Logger.Level.DEBUG,
                            "cannot change the handling of signal " + number,
                            e);
        }
    }

    /** Returns whether a signal is ignored, from the mask that Linux shows; elsewhere false. */
    private static boolean ignored(int number) throws IOException {
        Path status = Path.of("/proc/self/status");
        if (!Files.isReadable(status)) {
            return false;
        }
        for (String line : Files.readAllLines(status)) {
            if (line.startsWith("SigIgn:")) {
                long mask = Long.parseUnsignedLong(line.substring("SigIgn:".length()).strip(), 16);
                return (mask >>> (number - 1) & 1) == 1;
            }
        }
        return false;
    }

    private static void handle(List<String> names, Runnable action) {
        try {
            names.forEach(name -> Signal.handle(new Signal(name), signal -> action.run()));
        } catch (IllegalArgumentException | NoClassDefFoundError e) {
            LOG.get().log(System.Logger.Level.DEBUG, "the JVM handles signals itself", e);
        }
    }
}
