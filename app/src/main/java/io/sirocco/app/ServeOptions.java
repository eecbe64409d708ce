// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.net.TransportKind;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What {@code sirocco serve} was asked to do, checked. Immutable.
 *
 * @param directory an existing folder, absolute; empty means the welcome site
 * @param address where to listen; port 0 lets the system choose
 * @param loops at least 1
 */
record ServeOptions(
        Optional<Path> directory, InetSocketAddress address, int loops, TransportKind transport) {}
