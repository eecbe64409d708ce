// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Addresses in writing (RFC 5952 4). */
class IpTest {
    @ParameterizedTest
    @CsvSource({
        "::, ::",
        "0:0:0:0:0:0:0:1, ::1",
        "2001:DB8::, 2001:db8::",
        "2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
        "2001:0:0:1:0:0:0:1, 2001:0:0:1::1",
        "2001:db8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
        "0:0:1:2:3:4:5:0, ::1:2:3:4:5:0",
        "fe80:0:0:0:0abc:0:0:9, fe80::abc:0:0:9",
        "1:2:3:4:5:6:7:8, 1:2:3:4:5:6:7:8",
        "10.0.0.1, 10.0.0.1",
    })
    void isWrittenInItsShortestForm(String long6, String text) {
        assertEquals(text, Ip.text(InetAddress.ofLiteral(long6)));
    }

    @Test
    void withAPortItIsWrittenAsInAUrl() throws Exception {
        assertEquals(
                "[::]:7600", Ip.text(new InetSocketAddress(InetAddress.ofLiteral("::"), 7600)));
        assertEquals("127.0.0.1:80", Ip.text(new InetSocketAddress("127.0.0.1", 80)));
        assertEquals("db.test:80", Ip.text(InetSocketAddress.createUnresolved("db.test", 80)));
        InetAddress named = InetAddress.getByAddress("db.test", new byte[] {10, 0, 0, 1});
        assertEquals("db.test:80", Ip.text(new InetSocketAddress(named, 80)));
        assertEquals("10.0.0.1:80", Ip.text(named, 80));
        assertEquals("a.sock", Ip.text(UnixDomainSocketAddress.of("a.sock")));
    }
}
