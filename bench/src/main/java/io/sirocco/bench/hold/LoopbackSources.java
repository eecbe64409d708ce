// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/**
 * Addresses to connect from: 127.0.0.2, .3 and so on; all of 127.0.0.0/8 is there on Linux, and
 * nowhere else. A connection is known by both its addresses and ports. Linux gives out some 28,000
 * ports, first the even ones and then the odd: when the even ones are taken it looks at each of
 * them, in every connect, before it comes to an odd one. So each address has fewer connections than
 * there are even ports. Any thread.
 */
public final class LoopbackSources {
    public static final int CONNECTIONS_EACH = 10_000;

    private LoopbackSources() {}

    /** None, for the system to choose, unless {@code server} is an IPv4 loopback one on Linux. */
    public static List<InetAddress> of(InetAddress server, int connections) {
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
