// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.util.Arrays;
import java.util.List;

/**
 * The transports that {@link OnEachTransport} tests: all of them, or those that the system property
 * {@code test.transports} names, separated by commas.
 */
final class TestedTransports {
    private TestedTransports() {}

    static List<TransportKind> all() {
        String names = System.getProperty("test.transports", "IO_URING,EPOLL,NIO");
        return Arrays.stream(names.split(",")).map(TransportKind::valueOf).toList();
    }
}
