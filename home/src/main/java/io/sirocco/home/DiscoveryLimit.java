// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;

/**
 * How many discoveries have a response: 100 a second, and then, so that one host cannot keep others
 * out, the first {@value #SHARE} of each host, up to 100 more. Each discovery prepares four keys.
 * Used by one thread.
 */
final class DiscoveryLimit {
    static final int MAX = 100;
    static final int SHARE = 5;

    private final Map<InetAddress, Integer> hosts = new HashMap<>(); // of the second
    private long second;
    private int admitted;

    /** Returns whether a discovery has a response. */
    boolean admits(InetAddress host, long millis) {
        if (millis / 1_000 != second) {
            second = millis / 1_000;
            admitted = 0;
            hosts.clear();
        }
        int before = hosts.getOrDefault(host, 0);
        if (admitted >= MAX && (before >= SHARE || admitted >= 2 * MAX)) {
            return false;
        }
        admitted++;
        hosts.put(host, before + 1);
        return true;
    }
}
