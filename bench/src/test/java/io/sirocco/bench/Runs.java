// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** Short ways to say what a test runs. */
final class Runs {
    /** A run that is to end by itself, and takes as long as this, has failed to. */
    static final Duration LONG = Duration.ofSeconds(60);

    private static final long PATIENCE = 30_000_000_000L;

    private Runs() {}

    static Call get(String target) {
        return Call.of("GET", "test", target, Map.of(), new byte[0]);
    }

    /** Requests for /0, /1, /2 and so on. */
    static List<Call> numbered(int count) {
        return IntStream.range(0, count).mapToObj(i -> get("/" + i)).toList();
    }

    /** Runs {@code n} requests over one connection, unless told otherwise. */
    static Result run(
            TransportKind transport, SocketAddress server, int n, Consumer<Load> configure)
            throws IOException {
        return run(transport, server, List.of(get("/")), n, configure);
    }

    static Result run(
            TransportKind transport,
            SocketAddress server,
            List<Call> calls,
            int n,
            Consumer<Load> configure)
            throws IOException {
        return HttpBench.run(load(transport, server, calls, n, configure), second -> {});
    }

    static Load load(
            TransportKind transport,
            SocketAddress server,
            List<Call> calls,
            int n,
            Consumer<Load> configure) {
        return Load.on(
                server,
                calls,
                load ->
                        configure.accept(
                                load.transport(transport)
                                        .connections(1)
                                        .requests(n)
                                        .duration(LONG)
                                        .timeout(LONG)));
    }

    static void await(String what, BooleanSupplier happened) {
        long giveUp = System.nanoTime() + PATIENCE;
        while (!happened.getAsBoolean()) {
            if (System.nanoTime() > giveUp) {
                throw new AssertionError("waited in vain for " + what);
            }
            LockSupport.parkNanos(200_000);
        }
    }
}
