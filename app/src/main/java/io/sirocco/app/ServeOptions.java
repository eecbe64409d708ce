// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.net.TransportKind;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * What {@code sirocco serve} was asked to do, checked. Immutable.
 *
 * @param directory an existing folder, absolute; empty means the welcome site
 * @param address where to listen; port 0 lets the system choose
 * @param loops at least 1
 * @param idle how long a connection may be without a request; zero for ever
 */
record ServeOptions(
        Optional<Path> directory,
        InetSocketAddress address,
        int loops,
        TransportKind transport,
        Duration idle) {
    /** What the server does by itself. */
    static final Duration USUAL_IDLE = Duration.ofSeconds(75);
}
