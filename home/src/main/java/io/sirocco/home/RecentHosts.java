// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import java.net.InetAddress;
import java.time.Duration;
import java.util.LinkedHashMap;

/**
 * The hosts that have lately sent a request that was new for certain. Requests such as {@code
 * req_start_ftp} have no session, so a repeated one looks like a recorded one; it is taken for
 * genuine if it comes from such a host. Used by one thread.
 */
final class RecentHosts {
    static final Duration TIME = Duration.ofMinutes(10);

    private static final int MAX = 256;

    private final LinkedHashMap<InetAddress, Long> hosts =
            new LinkedHashMap<>(); // the eldest first

    /** Notes that a host has sent a new request. */
    void add(InetAddress host, long millis) {
        hosts.remove(host);
        if (hosts.size() == MAX) {
            hosts.pollFirstEntry();
        }
        hosts.put(host, millis);
    }

    /** Returns whether a host has sent a new request within {@link #TIME}. */
    boolean contains(InetAddress host, long millis) {
        Long last = hosts.get(host);
        return last != null && millis - last <= TIME.toMillis();
    }
}
