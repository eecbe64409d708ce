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
        assertFalse(hosts.mayRepeat(host(1), 0));
        hosts.add(host(1), 0);
        assertTrue(hosts.mayRepeat(host(1), end));
        assertFalse(hosts.mayRepeat(host(1), end + 1));
        hosts.add(host(1), end);
        assertTrue(hosts.mayRepeat(host(1), end + 1));
        assertFalse(hosts.mayRepeat(host(2), end));
    }

    /** Its address could be forged: what somebody else can do by repeating is bounded. */
    @Test
    void aHostMayRepeatSixteenRequestsForEachNewOne() {
        for (int round = 0; round < 2; round++) {
            hosts.add(host(1), round);
            for (int i = 0; i < RecentHosts.REPEATS; i++) {
                assertTrue(hosts.mayRepeat(host(1), round));
            }
            assertFalse(hosts.mayRepeat(host(1), round));
        }
    }

    @Test
    void theOneThatWasSeenLongestAgoIsForgotten() {
        for (int i = 0; i < 256; i++) {
            hosts.add(host(i), i);
        }
        hosts.add(host(0), 256);
        hosts.add(host(256), 257);
        assertTrue(hosts.mayRepeat(host(0), 257));
        assertFalse(hosts.mayRepeat(host(1), 257));
        assertTrue(hosts.mayRepeat(host(256), 257));
    }
}
