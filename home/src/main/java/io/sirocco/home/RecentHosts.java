// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import java.net.InetAddress;
import java.time.Duration;
import java.util.LinkedHashMap;

/**
 * The hosts that have lately sent a request that was new for certain. Requests such as {@code
 * req_reset} have no session, so a repeated one looks like a recorded one; it is taken for genuine
 * if it comes from such a host, {@value #REPEATS} times for each new request. An address can be
 * forged, so this bounds what a recorded request can do, and does not prevent it. Used by one
 * thread.
 */
final class RecentHosts {
    static final Duration TIME = Duration.ofMinutes(10);

    /** Object Manager sends a few for each file, and asks for values in between. */
    static final int REPEATS = 16;

    private static final int MAX = 256;

    private final LinkedHashMap<InetAddress, Host> hosts =
            new LinkedHashMap<>(); // the oldest first

    private static final class Host {
        final long millis; // of the new request
        int repeats;

        Host(long millis) {
            this.millis = millis;
        }
    }

    /** Notes that a host has sent a new request. */
    void add(InetAddress host, long millis) {
        hosts.remove(host);
        if (hosts.size() == MAX) {
            hosts.pollFirstEntry();
        }
        hosts.put(host, new Host(millis));
    }

    /** Returns whether a host may repeat a request now, which counts. */
    boolean mayRepeat(InetAddress from, long millis) {
        Host host = hosts.get(from);
        return host != null && millis - host.millis <= TIME.toMillis() && host.repeats++ < REPEATS;
    }
}
