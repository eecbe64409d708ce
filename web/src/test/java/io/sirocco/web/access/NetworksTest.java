// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which addresses are in a list, and what is said of a list that cannot be. */
class NetworksTest {

    private static SocketAddress peer(String address) {
        return new InetSocketAddress(InetAddress.ofLiteral(address), 1234);
    }

    private static boolean in(String address, String... networks) {
        return Networks.of(List.of(networks)).contains(peer(address));
    }

    @Test
    void anAddressIsInItsNetwork() {
        assertTrue(in("10.1.2.3", "10.0.0.0/8"));
        assertFalse(in("11.1.2.3", "10.0.0.0/8"));
        assertTrue(in("192.0.2.7", "192.0.2.7"));
        assertFalse(in("192.0.2.8", "192.0.2.7"));
        assertTrue(in("255.255.255.255", "128.0.0.0/1"));
        assertTrue(in("2001:db8:1::1", "2001:db8::/32"));
        assertFalse(in("2001:db9::1", "2001:db8::/32"));
        assertTrue(in("fe80::1", "fe80::/65"));
        assertFalse(in("fe80::8000:0:0:1", "fe80::/65"));
        assertTrue(in("::1", "::1"));
        assertFalse(in("::2", "::1"));
    }

    @Test
    void allOfOneVersionOfIpIsNotAllOfTheOther() {
        assertTrue(in("0.0.0.0", "0.0.0.0/0"));
        assertTrue(in("255.255.255.255", "0.0.0.0/0"));
        assertFalse(in("2001:db8::1", "0.0.0.0/0"));
        assertTrue(in("ffff::1", "::/0"));
        assertFalse(in("10.0.0.1", "::/0"));
    }

    @Test
    void aMappedAddressIsIPv4() throws UnknownHostException {
        byte[] mapped = new byte[16];
        mapped[10] = mapped[11] = (byte) 0xff;
        mapped[12] = 10;
        mapped[15] = 1;
        var peer = new InetSocketAddress(Inet6Address.getByAddress(null, mapped, 0), 1);
        assertEquals(16, peer.getAddress().getAddress().length, "the JDK gave IPv4 already");
        assertTrue(Networks.of(List.of("10.0.0.0/8")).contains(peer));
        assertFalse(Networks.of(List.of("::/0")).contains(peer));
        assertTrue(in("10.0.0.1", "::ffff:10.0.0.0/104"));
        assertTrue(in("10.0.0.1", "::ffff:10.0.0.1"));
        assertTrue(in("10.0.0.1", "::ffff:0:0/96"));
    }

    @Test
    void aUnixPeerIsInNoNetworkButInUnix() {
        var peer = UnixDomainSocketAddress.of("");
        assertFalse(Networks.of(List.of("0.0.0.0/0", "::/0")).contains(peer));
        assertTrue(Networks.of(List.of("unix")).contains(peer));
        assertFalse(Networks.of(List.of("unix")).contains(peer("127.0.0.1")));
        assertFalse(Networks.of(List.of("unix")).isEmpty());
        assertTrue(Networks.of(List.of()).isEmpty());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    10.0.0.1/8            | write "10.0.0.0/8" for the network
                    2001:db8::1/32        | write "2001:db8::/32" for the network
                    ::ffff:10.0.0.1/104   | write "10.0.0.0/8" for the network
                    10.0.0.0/33           | 0 to 32
                    ::/129                | 0 to 128
                    10.0.0.0/             | 0 to 32
                    10.0.0.0/-1           | 0 to 32
                    10.0.0.0/08           | 0 to 32
                    10.0.0.0/8/8          | 0 to 32
                    10.0.0                | is no address
                    10.0.0.256            | is no address
                    10.0.0.010            | is no address
                    0x0a.0.0.1            | is no address
                    167772161             | is no address
                    fe80::1%eth0          | is no address
                    [::1]                 | is no address
                    1:2:3                 | is no address
                    localhost             | is no address
                    Unix                  | is no address
                    ' 10.0.0.1'           | is no address
                    ''                    | is no address
                    ::ffff:0:0/90         | 0.0.0.0/0
                    """)
    void whatIsNoNetworkIsRefusedWithAHint(String text, String hint) {
        String message =
                assertThrows(
                                IllegalArgumentException.class,
                                () -> Networks.of(List.of("192.0.2.1", text)))
                        .getMessage();
        assertTrue(message.startsWith("\"" + text + "\""), message);
        assertTrue(message.contains(hint), message);
    }

    /** Against arithmetic on whole numbers, with networks that lie within each other. */
    @Test
    void manyNetworksAreAnsweredAsOneByOne() {
        var random = new Random(4);
        for (int bytes : new int[] {4, 16}) {
            for (int round = 0; round < 200; round++) {
                var texts = new ArrayList<String>();
                var blocks = new ArrayList<BigInteger[]>();
                for (int i = random.nextInt(12); i >= 0; i--) {
                    int bits = random.nextInt(8 * bytes + 1);
                    BigInteger size = BigInteger.ONE.shiftLeft(8 * bytes - bits);
                    BigInteger from = number(crowded(random, bytes)).divide(size).multiply(size);
                    texts.add(text(from, bytes) + "/" + bits);
                    blocks.add(new BigInteger[] {from, from.add(size)});
                }
                Networks networks = Networks.of(texts);
                for (int i = 0; i < 50; i++) {
                    byte[] address = crowded(random, bytes);
                    BigInteger n = number(address);
                    boolean expected =
                            blocks.stream()
                                    .anyMatch(b -> b[0].compareTo(n) <= 0 && n.compareTo(b[1]) < 0);
                    String text = text(n, bytes);
                    assertEquals(expected, networks.contains(peer(text)), text + " in " + texts);
                }
            }
        }
    }

    /** Few different values, so that networks meet. Never 0 in front: that is mapped IPv4. */
    private static byte[] crowded(Random random, int bytes) {
        byte[] address = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            address[i] = (byte) new int[] {0, 0, 0x80, 0xff, 1}[random.nextInt(5)];
        }
        if (bytes == 16) {
            address[0] |= 0x20;
        }
        return address;
    }

    private static BigInteger number(byte[] address) {
        return new BigInteger(1, address);
    }

    private static String text(BigInteger n, int bytes) {
        byte[] all = n.toByteArray();
        byte[] address = new byte[bytes];
        for (int i = 1; i <= Math.min(bytes, all.length); i++) {
            address[bytes - i] = all[all.length - i];
        }
        if (bytes == 4) {
            return (address[0] & 255)
                    + "."
                    + (address[1] & 255)
                    + "."
                    + (address[2] & 255)
                    + "."
                    + (address[3] & 255);
        }
        var groups = new ArrayList<String>();
        for (int i = 0; i < 16; i += 2) {
            groups.add(Integer.toHexString((address[i] & 255) << 8 | address[i + 1] & 255));
        }
        return String.join(":", groups);
    }
}
