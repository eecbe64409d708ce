// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetAddress;
import org.junit.jupiter.api.Test;

class DiscoveryLimitTest {
    private final DiscoveryLimit limit = new DiscoveryLimit();

    private int admitted(int host, int discoveries, long millis) {
        int admitted = 0;
        for (int i = 0; i < discoveries; i++) {
            if (limit.admits(InetAddress.ofLiteral("10.0.0." + host), millis)) {
                admitted++;
            }
        }
        return admitted;
    }

    @Test
    void aHostHasAllThatOthersDoNotUse() {
        assertEquals(100, admitted(1, 2_000, 5_000));
        assertEquals(5, admitted(2, 10, 5_500));
        assertEquals(0, admitted(1, 10, 5_999));
        assertEquals(100, admitted(1, 2_000, 6_000));
    }

    @Test
    void allHostsTogetherHave200() {
        int sum = 0;
        for (int host = 1; host < 250; host++) {
            sum += admitted(host, 10, 7_000);
        }
        assertEquals(200, sum);
    }
}
