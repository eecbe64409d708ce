// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import org.junit.jupiter.api.Test;

class RecentHostsTest {
    private final RecentHosts hosts = new RecentHosts();

    private static InetAddress host(int number) {
        return InetAddress.ofLiteral("10.0." + number / 256 + "." + number % 256);
    }

    @Test
    void aHostIsKnownForTenMinutes() {
        long end = RecentHosts.TIME.toMillis();
        assertFalse(hosts.contains(host(1), 0));
        hosts.add(host(1), 0);
        assertTrue(hosts.contains(host(1), end));
        assertFalse(hosts.contains(host(1), end + 1));
        hosts.add(host(1), end);
        assertTrue(hosts.contains(host(1), end + 1));
        assertFalse(hosts.contains(host(2), end));
    }

    @Test
    void theOneThatWasSeenLongestAgoIsForgotten() {
        for (int i = 0; i < 256; i++) {
            hosts.add(host(i), i);
        }
        hosts.add(host(0), 256);
        hosts.add(host(256), 257);
        assertTrue(hosts.contains(host(0), 257));
        assertFalse(hosts.contains(host(1), 257));
        assertTrue(hosts.contains(host(256), 257));
    }
}
