// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.net.InetAddress;
import java.net.SocketAddress;
import java.util.Optional;

/**
 * The destination of {@link Loop#connect}. Immutable.
 *
 * @param address a resolved Internet address, or a Unix-domain one
 * @param source the local address to connect from; empty lets the system choose. The system always
 *     chooses the port
 * @param timeoutMillis how long to try, in milliseconds; at least 1
 */
public record Destination(SocketAddress address, Optional<InetAddress> source, long timeoutMillis) {
    private static final long TIMEOUT = 10_000;

    public Destination {
        if (timeoutMillis < 1) {
            throw new IllegalArgumentException("a timeout of " + timeoutMillis + " ms");
        }
    }

    /** Returns a destination with a timeout of ten seconds and a source that the system chooses. */
    public static Destination of(SocketAddress address) {
        return new Destination(address, Optional.empty(), TIMEOUT);
    }

    /** Returns the same destination with a local address to connect from. */
    public Destination withSource(InetAddress source) {
        return new Destination(address, Optional.of(source), timeoutMillis);
    }

    /** Returns the same destination with another timeout, in milliseconds. */
    public Destination withTimeout(long timeoutMillis) {
        return new Destination(address, source, timeoutMillis);
    }
}
