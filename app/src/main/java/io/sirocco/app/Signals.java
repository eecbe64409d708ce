// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.sirocco.net.log.LazyLogger;
import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * SIGTERM and SIGINT as a wish to stop, SIGHUP as one to reload. Left to itself the JVM would end
 * with the code 143 or 130, and close its log while the last requests still run.
 *
 * <p>{@code sun.misc.Signal} of the module {@code jdk.unsupported} is the only door that the JDK
 * has for this. It is opened by reflection, because javac warns of it in a way that cannot be
 * silenced. Where it is missing, the JVM's own way remains. Any thread.
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

    /** Runs {@code reload} at each signal. It must return soon: no other is told meanwhile. */
    static void onHangUp(Runnable reload) {
        stopIgnoring(HANG_UP);
        handle(List.of("HUP"), reload);
    }

    /**
     * Restores the default action of a signal that the process ignores since its start, as it does
     * below nohup: the JVM leaves such a signal ignored even when a handler is registered for it.
     */
    private static void stopIgnoring(int number) {
        try {
            if (!ignored(number)) {
                return; // to link a call takes a start some milliseconds
            }
            Linker linker = Linker.nativeLinker();
            MemorySegment signal = linker.defaultLookup().findOrThrow("signal");
            var shape = FunctionDescriptor.of(ADDRESS, JAVA_INT, ADDRESS);
            var _ =
                    (MemorySegment)
                            linker.downcallHandle(signal, shape)
                                    .invokeExact(number, MemorySegment.NULL);
        } catch (Throwable e) {
            LOG.get().log(System.Logger.Level.DEBUG, "signal " + number + " stays as it is", e);
        }
    }

    /** Reads the mask of ignored signals that Linux shows; elsewhere returns false. */
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
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object told =
                    Proxy.newProxyInstance(
                            Signals.class.getClassLoader(),
                            new Class<?>[] {handler},
                            (proxy, method, arguments) ->
                                    switch (method.getName()) {
                                        case "handle" -> {
                                            action.run();
                                            yield null;
                                        }
                                        case "equals" -> proxy == arguments[0];
                                        case "hashCode" -> System.identityHashCode(proxy);
                                        default -> "Signals " + names;
                                    });
            for (String name : names) {
                Object one = signal.getConstructor(String.class).newInstance(name);
                signal.getMethod("handle", signal, handler).invoke(null, one, told);
            }
        } catch (ReflectiveOperationException e) {
            LOG.get().log(System.Logger.Level.DEBUG, "signals keep the JVM's own handling", e);
        }
    }
}
