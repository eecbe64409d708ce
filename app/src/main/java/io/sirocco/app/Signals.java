// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.net.log.LazyLogger;
import java.lang.reflect.Proxy;
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
        handle(List.of("HUP"), reload);
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
