// SPDX-License-Identifier: Apache-2.0
package io.sirocco.testkit;

import io.sirocco.net.TransportKind;
import java.util.Arrays;
import java.util.List;

/** The transports of {@link OnEachTransport} and {@link OnAllTransports}. Any thread. */
public final class TestedTransports {
    private TestedTransports() {}

    /**
     * Those that the system property {@code test.transports} names, separated by commas. The build
     * names all of them for net, and for the other modules the one that a server has by default.
     */
    public static List<TransportKind> named() {
        String names = System.getProperty("test.transports", "AUTO");
        return Arrays.stream(names.split(",")).map(TransportKind::valueOf).toList();
    }

    /** Those of Linux, and that of all systems. */
    public static List<TransportKind> all() {
        return List.of(TransportKind.IO_URING, TransportKind.EPOLL, TransportKind.NIO);
    }
}
