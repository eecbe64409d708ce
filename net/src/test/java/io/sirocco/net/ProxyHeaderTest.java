// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.sirocco.net.ProxyHeader.Parsed;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Headers of the PROXY protocol, whole and cut at every byte. */
class ProxyHeaderTest {
    private static final String SIGNATURE = "0D0A0D0A000D0A515549540A";
    private static final String V4 = "C0000207 C0000201 C822 01BB";
    private static final String V6 =
            "20010DB8000000000000000000000007 20010DB8000000000000000000000001 C822 01BB";

    private static byte[] hex(String text) {
        return HexFormat.of().parseHex(text.replace(" ", ""));
    }

    private static byte[] v2(String commandAndFamily, int length, byte[] rest) {
        var all = new ByteArrayOutputStream();
        all.writeBytes(hex(SIGNATURE + commandAndFamily + "%04X".formatted(length)));
        all.writeBytes(rest);
        return all.toByteArray();
    }

    private static byte[] v2(String commandAndFamily, byte[] rest) {
        return v2(commandAndFamily, rest.length, rest);
    }

    /** At every split it waits, and says the same in the end, whatever follows. */
    private static Optional<java.net.SocketAddress> source(byte[] header) {
        for (int length = 0; length < header.length; length++) {
            assertInstanceOf(Parsed.Incomplete.class, parse(header, length), "after " + length);
        }
        byte[] behind = Arrays.copyOf(header, header.length + 20);
        behind[header.length] = 'G';
        var whole = assertInstanceOf(Parsed.Complete.class, parse(header, header.length));
        assertEquals(header.length, whole.end());
        assertEquals(whole, parse(behind, behind.length));
        byte[] shifted = new byte[behind.length + 7];
        System.arraycopy(behind, 0, shifted, 7, behind.length);
        var later = ProxyHeader.parse(shifted, 7, shifted.length);
        assertEquals(new Parsed.Complete(header.length + 7, whole.source()), later);
        return whole.source();
    }

    private static Parsed parse(byte[] bytes, int length) {
        return ProxyHeader.parse(bytes, 0, length);
    }

    /** Refused at some split, and never let through after it or at another one. */
    private static void refused(byte[] header) {
        boolean refused = false;
        for (int length = 0; length <= header.length; length++) {
            Parsed parsed = parse(header, length);
            if (parsed instanceof Parsed.Complete)
                throw new AssertionError("let through " + length);
            if (refused) assertInstanceOf(Parsed.Rejected.class, parsed, "after " + length);
            refused = parsed instanceof Parsed.Rejected;
        }
        assertEquals(true, refused, "never refused");
    }

    @ParameterizedTest
    @CsvSource({
        "PROXY TCP4 192.0.2.7 192.0.2.1 51234 443, 192.0.2.7, 51234",
        "PROXY TCP4 0.0.0.0 255.255.255.255 0 65535, 0.0.0.0, 0",
        "PROXY TCP6 2001:db8::7 ::1 51234 443, 2001:db8::7, 51234",
        "PROXY TCP6 ffff:f00f:ffff:ffff:ffff:ffff:ffff:ffff ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535 65535, ffff:f00f:ffff:ffff:ffff:ffff:ffff:ffff, 65535",
    })
    void linesOfVersionOne(String line, String host, int port) {
        assertEquals(Optional.of(new InetSocketAddress(host, port)), source(bytes(line + "\r\n")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "PROXY UNKNOWN\r\n",
                "PROXY UNKNOWN and whatever 1 2 3\r\n",
                "PROXY UNKNOWN ffff:f00f:ffff:ffff:ffff:ffff:ffff:ffff ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535 65535\r\n",
            })
    void anUnknownClientIsNobodyElse(String line) {
        assertEquals(Optional.empty(), source(bytes(line)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\n",
                "PRI * HTTP/2.0\r\n",
                "PROXX",
                "PROXY  TCP4 192.0.2.7 192.0.2.1 51234 443\r\n",
                "PROXY TCP4 192.0.2.7 192.0.2.1 51234\r\n",
                "PROXY TCP4 192.0.2.7 192.0.2.1 51234 443 \r\n",
                "PROXY TCP4 192.0.2.7 192.0.2.1 51234 443 1\r\n",
                "PROXY TCP4 192.0.2.7 192.0.2.1 51234 443\n",
                "PROXY TCP4 192.0.2.7 192.0.2.1 51234 443\rX",
                "PROXY TCP4 192.0.2.256 192.0.2.1 51234 443\r\n",
                "PROXY TCP4 192.0.2.07 192.0.2.1 51234 443\r\n",
                "PROXY TCP4 192.0.2 192.0.2.1 51234 443\r\n",
                "PROXY TCP4 localhost 192.0.2.1 51234 443\r\n",
                "PROXY TCP4 ::1 192.0.2.1 51234 443\r\n",
                "PROXY TCP6 192.0.2.7 ::1 51234 443\r\n",
                "PROXY TCP6 ::1%lo ::1 51234 443\r\n",
                "PROXY TCP6 [::1] ::1 51234 443\r\n",
                "PROXY TCP4 192.0.2.7 192.0.2.1 65536 443\r\n",
                "PROXY TCP4 192.0.2.7 192.0.2.1 -1 443\r\n",
                "PROXY TCP4 192.0.2.7 192.0.2.1 0443 443\r\n",
                "PROXY tcp4 192.0.2.7 192.0.2.1 51234 443\r\n",
                "PROXY UDP4 192.0.2.7 192.0.2.1 51234 443\r\n",
                "PROXY \r\n",
            })
    void noLineOfVersionOne(String text) {
        refused(bytes(text));
    }

    @Test
    void aLineOfVersionOneHas107BytesAtMost() {
        String most = "PROXY UNKNOWN " + "x".repeat(107 - 16) + "\r\n";
        assertEquals(107, most.length());
        source(bytes(most));
        refused(bytes("PROXY UNKNOWN " + "x".repeat(108 - 16) + "\r\n"));
        refused(bytes("PROXY UNKNOWN " + "x".repeat(200)));
    }

    @Test
    void addressesOfVersionTwo() {
        assertEquals(
                Optional.of(new InetSocketAddress("192.0.2.7", 51234)),
                source(v2("2111", hex(V4))));
        assertEquals(
                Optional.of(new InetSocketAddress("2001:db8::7", 51234)),
                source(v2("2121", hex(V6))));
        assertEquals(
                Optional.of(UnixDomainSocketAddress.of("")), source(v2("2131", new byte[216])));
    }

    @Test
    void whatFollowsTheAddressesIsSkipped() {
        String tlvs = "03 0004 A9B87E8F 20 000F 01 00000000 21 0007 544C5376312E33 FF FFFF";
        assertEquals(
                Optional.of(new InetSocketAddress("192.0.2.7", 51234)),
                source(v2("2111", hex(V4 + tlvs))));
        byte[] long4 = Arrays.copyOf(hex(V4), ProxyHeader.LONGEST - 16);
        assertEquals(
                Optional.of(new InetSocketAddress("192.0.2.7", 51234)), source(v2("2111", long4)));
    }

    @Test
    void aProxyThatSpeaksForItselfOrDoesNotKnow() {
        assertEquals(Optional.empty(), source(v2("2000", new byte[0])));
        assertEquals(Optional.empty(), source(v2("2011", hex(V4))), "LOCAL with an address");
        assertEquals(Optional.empty(), source(v2("20FF", hex("0102"))), "LOCAL of any family");
        assertEquals(Optional.empty(), source(v2("2100", new byte[0])));
        assertEquals(Optional.empty(), source(v2("2100", hex("0102030405"))));
    }

    @Test
    void noHeaderOfVersionTwo() {
        refused(v2("1111", hex(V4)));
        refused(v2("3111", hex(V4)));
        refused(v2("2211", hex(V4)));
        refused(v2("2112", hex(V4)));
        refused(v2("2141", hex(V4)));
        refused(v2("2110", hex(V4)));
        refused(v2("2111", Arrays.copyOf(hex(V4), 11)));
        refused(v2("2121", hex(V4)));
        refused(v2("2131", new byte[215]));
        refused(v2("2111", ProxyHeader.LONGEST - 15, hex(V4)));
        refused(v2("2011", 65_535, hex(V4)));
        byte[] broken = v2("2111", hex(V4));
        for (int i = 0; i < 12; i++) {
            byte[] copy = broken.clone();
            copy[i] ^= 0x40;
            refused(copy);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(ISO_8859_1);
    }

    /** What is sent to others can be read. */
    @ParameterizedTest
    @CsvSource({
        "192.0.2.7,    192.0.2.1,   PROXY TCP4 192.0.2.7 192.0.2.1 51234 443",
        "2001:db8::7,  2001:db8::1, PROXY TCP6 2001:db8:0:0:0:0:0:7 2001:db8:0:0:0:0:0:1 51234 443",
        "192.0.2.7,    2001:db8::1, PROXY TCP6 ::ffff:192.0.2.7 2001:db8:0:0:0:0:0:1 51234 443",
        "192.0.2.7,    ::,          PROXY TCP4 192.0.2.7 0.0.0.0 51234 443",
        "2001:db8::7,  0.0.0.0,     PROXY TCP6 2001:db8:0:0:0:0:0:7 0:0:0:0:0:0:0:0 51234 443",
        "fe80::1%1,    192.0.2.1,   PROXY TCP6 fe80:0:0:0:0:0:0:1 ::ffff:192.0.2.1 51234 443",
    })
    void bothVersionsOfAHeader(String client, String server, String line) throws Exception {
        var from = new InetSocketAddress(InetAddress.ofLiteral(client), 51234);
        var to = new InetSocketAddress(InetAddress.ofLiteral(server), 443);
        byte[] one = ProxyProtocol.V1.header(from, to);
        assertEquals(line + "\r\n", new String(one, ISO_8859_1));
        InetAddress plain = InetAddress.getByAddress(from.getAddress().getAddress());
        Optional<?> told = Optional.of(new InetSocketAddress(plain, 51234));
        for (byte[] header : new byte[][] {one, ProxyProtocol.V2.header(from, to)}) {
            var read =
                    assertInstanceOf(
                            Parsed.Complete.class, ProxyHeader.parse(header, 0, header.length));
            assertEquals(told, read.source());
            assertEquals(header.length, read.end());
        }
    }

    @Test
    void aHeaderForNobodyOrForAClientOfASocketFile() {
        var socket = UnixDomainSocketAddress.of("/s");
        var to = new InetSocketAddress("192.0.2.1", 443);
        for (ProxyProtocol version : ProxyProtocol.values()) {
            for (byte[] header :
                    new byte[][] {
                        version.local(), version.header(socket, to), version.header(to, socket)
                    }) {
                var read =
                        assertInstanceOf(
                                Parsed.Complete.class, ProxyHeader.parse(header, 0, header.length));
                assertEquals(Optional.empty(), read.source());
                assertEquals(header.length, read.end());
            }
        }
    }
}
