// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An address in less memory is the same address. */
class CompactAddressTest {
    @ParameterizedTest
    @CsvSource({"127.0.0.1, 80", "255.1.128.254, 65535", "0.0.0.0, 0"})
    void itIsTheSame(String host, int port) {
        var address = new InetSocketAddress(host, port);
        var compact = assertInstanceOf(CompactAddress.class, CompactAddress.of(address));
        assertEquals(address, compact.whole());
    }

    @Test
    void othersStayAsTheyAre() {
        var six = new InetSocketAddress("::1", 80);
        assertSame(six, CompactAddress.of(six));
    }
}
