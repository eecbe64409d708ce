// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/**
 * Addresses to connect from: 127.0.0.2, .3 and so on. A connection is known by both its addresses
 * and ports, and Linux chooses among some 28,000 ports, so each address is for 20,000 of them. All
 * of 127.0.0.0/8 is there on Linux, and nowhere else.
 */
final class LoopbackSources {
    static final int CONNECTIONS_EACH = 20_000;

    private LoopbackSources() {}

    /** None, for the system to choose, unless {@code server} is an IPv4 loopback one on Linux. */
    static List<InetAddress> of(InetAddress server, int connections) {
        boolean linux = System.getProperty("os.name").equals("Linux");
        if (!linux || !(server instanceof Inet4Address) || !server.isLoopbackAddress()) {
            return List.of();
        }
        var addresses = new ArrayList<InetAddress>();
        for (int i = 0; i * (long) CONNECTIONS_EACH < connections; i++) {
            int last = i + 2;
            addresses.add(address(127, last >> 16, last >> 8, last));
        }
        return List.copyOf(addresses);
    }

    private static InetAddress address(int a, int b, int c, int d) {
        try {
            return InetAddress.getByAddress(new byte[] {(byte) a, (byte) b, (byte) c, (byte) d});
        } catch (UnknownHostException e) {
            throw new AssertionError(e); // four bytes are always an address
        }
    }
}
