// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.net.InetAddress;
import java.net.SocketAddress;
import java.util.Optional;

/**
 * Where {@link Loop#connect} shall connect to. Immutable.
 *
 * @param address an Internet address, resolved, or a Unix-domain one
 * @param source the address of our own to connect from; the system chooses when there is none. The
 *     port is always the system's choice
 * @param timeoutMillis how long to try; at least 1
 */
public record Destination(SocketAddress address, Optional<InetAddress> source, long timeoutMillis) {
    private static final long TIMEOUT = 10_000;

    public Destination {
        if (timeoutMillis < 1) {
            throw new IllegalArgumentException("a timeout of " + timeoutMillis + " ms");
        }
    }

    /** Tried for ten seconds, from where the system likes. */
    public static Destination of(SocketAddress address) {
        return new Destination(address, Optional.empty(), TIMEOUT);
    }

    /** The same, from an address of our own. */
    public Destination withSource(InetAddress source) {
        return new Destination(address, Optional.of(source), timeoutMillis);
    }

    /** The same, tried for so long. */
    public Destination withTimeout(long timeoutMillis) {
        return new Destination(address, source, timeoutMillis);
    }
}
