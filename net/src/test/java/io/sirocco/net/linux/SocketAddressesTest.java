// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Addresses as the kernel lays them out (Linux on a little-endian machine), and back. */
class SocketAddressesTest {
    private static SocketAddress thereAndBack(SocketAddress address) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment there = SocketAddresses.toNative(address, arena);
            MemorySegment padded = arena.allocate(SocketAddresses.MAX_SIZE, 8);
            MemorySegment.copy(there, 0, padded, 0, there.byteSize());
            return SocketAddresses.toJava(padded, (int) there.byteSize());
        }
    }

    private static byte[] bytes(SocketAddress address) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            return SocketAddresses.toNative(address, arena).toArray(JAVA_BYTE);
        }
    }

    @Test
    void ipv4() throws Exception {
        var address = new InetSocketAddress(InetAddress.ofLiteral("1.2.3.4"), 0xabcd);
        assertArrayEquals(
                new byte[] {2, 0, (byte) 0xab, (byte) 0xcd, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0},
                bytes(address));
        assertEquals(address, thereAndBack(address));
    }

    @Test
    void randomOnes() throws Exception {
        var random = new Random(3);
        for (int i = 0; i < 1_000; i++) {
            var ip = new byte[random.nextBoolean() ? 4 : 16];
            random.nextBytes(ip);
            var address =
                    new InetSocketAddress(InetAddress.getByAddress(ip), random.nextInt(65_536));
            assertEquals(address, thereAndBack(address));
        }
    }

    @Test
    void aMappedIpv4AddressIsIpv4() throws Exception {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment native6 = arena.allocate(28, 8);
            native6.set(JAVA_BYTE, 0, (byte) 10);
            native6.set(JAVA_BYTE, 3, (byte) 80);
            byte[] mapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 10, 0, 0, 1};
            MemorySegment.copy(mapped, 0, native6, JAVA_BYTE, 8, 16);
            assertEquals(
                    new InetSocketAddress(InetAddress.ofLiteral("10.0.0.1"), 80),
                    SocketAddresses.toJava(native6, 28));
        }
    }

    /** A link-local peer can be answered only through the link it came by. */
    @Test
    void theScopeOfALinkLocalAddressIsKept() throws Exception {
        byte[] ip = InetAddress.ofLiteral("fe80::1").getAddress();
        var address = new InetSocketAddress(Inet6Address.getByAddress(null, ip, 3), 5353);
        var back = (InetSocketAddress) thereAndBack(address);
        assertEquals(address, back);
        assertEquals(3, ((Inet6Address) back.getAddress()).getScopeId());
    }

    @Test
    void unixDomain() throws Exception {
        for (String path :
                new String[] {"/a", "/tmp/caf\u00e9", "relative", "/" + "x".repeat(106)}) {
            var address = UnixDomainSocketAddress.of(path);
            assertEquals(address, thereAndBack(address));
        }
        assertThrows(
                IOException.class, () -> bytes(UnixDomainSocketAddress.of("/" + "x".repeat(107))));
        assertThrows(
                IOException.class,
                () -> bytes(UnixDomainSocketAddress.of("/" + "\u00e9".repeat(54))));
    }

    @Test
    void unnamedAndAbstractPeersHaveAnEmptyPath() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(SocketAddresses.MAX_SIZE, 8);
            memory.set(JAVA_BYTE, 0, (byte) 1);
            memory.set(JAVA_BYTE, 3, (byte) 'a'); // behind a NUL
            for (int length : new int[] {0, 2, 3, 4}) {
                assertEquals(
                        UnixDomainSocketAddress.of(""), SocketAddresses.toJava(memory, length));
            }
        }
    }

    @Test
    void anUnresolvedNameIsSaid() {
        var e =
                assertThrows(
                        UnknownHostException.class,
                        () -> bytes(InetSocketAddress.createUnresolved("no.such.host", 80)));
        assertEquals("cannot resolve no.such.host", e.getMessage());
    }
}
