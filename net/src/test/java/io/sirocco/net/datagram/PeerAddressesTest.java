// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.datagram;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.net.linux.NativeCalls;
import io.sirocco.net.linux.SocketAddresses;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The cache of peers of UDP sockets: what it returns is right, known or not. */
class PeerAddressesTest {
    private final PeerAddresses peers = new PeerAddresses();
    private final Arena arena = Arena.ofConfined();
    private MemorySegment name;

    @BeforeEach
    void start() {
        assumeTrue(NativeCalls.work());
        name = arena.allocate(32, 8);
    }

    @AfterEach
    void stop() {
        arena.close();
    }

    private static InetSocketAddress address(String literal, int port) {
        return new InetSocketAddress(InetAddress.ofLiteral(literal), port);
    }

    private PeerAddresses.Peer received(InetSocketAddress from) throws IOException {
        name.fill((byte) 0);
        try (Arena scratch = Arena.ofConfined()) {
            MemorySegment there = SocketAddresses.toNative(from, scratch);
            MemorySegment.copy(there, 0, name, 0, there.byteSize());
        }
        return peers.of(name.address());
    }

    private byte[] written(PeerAddresses.Peer peer) {
        name.fill((byte) 0xff);
        return name.asSlice(0, peer.write(name.address())).toArray(JAVA_BYTE);
    }

    private byte[] expected(InetSocketAddress address) throws IOException {
        return SocketAddresses.toNative(address, arena).toArray(JAVA_BYTE);
    }

    @Test
    void theSamePeerIsTheSameObject() throws Exception {
        for (String each : new String[] {"10.1.2.3", "2001:db8::7"}) {
            InetSocketAddress first = received(address(each, 1234)).address;
            assertEquals(address(each, 1234), first);
            assertSame(first, received(address(each, 1234)).address);
            assertSame(first, peers.of(first).address);
            assertSame(first, peers.of(address(each, 1234)).address);
            assertEquals(address(each, 1235), received(address(each, 1235)).address);
        }
    }

    @Test
    void sixtyFourPeersOfAnAddressAllStay() throws Exception {
        var known = new InetSocketAddress[64];
        for (int i = 0; i < known.length; i++) {
            known[i] = received(address("127.0.0.1", 40_000 + i)).address;
        }
        for (int i = 0; i < known.length; i++) {
            assertSame(known[i], received(address("127.0.0.1", 40_000 + i)).address);
            assertSame(known[i], peers.of(known[i]).address);
        }
    }

    @Test
    void manyRandomOnesAreTheirOwn() throws Exception {
        var random = new Random(5);
        for (int i = 0; i < 2_000; i++) {
            var ip = new byte[random.nextBoolean() ? 4 : 16];
            random.nextBytes(ip);
            ip[ip.length - 2] = 0;
            var each = new InetSocketAddress(InetAddress.getByAddress(ip), random.nextInt(65_536));
            PeerAddresses.Peer in = received(each);
            assertEquals(each, in.address);
            assertArrayEquals(expected(each), written(in));
            assertArrayEquals(expected(each), written(peers.of(each)));
        }
    }

    /** Java says that they are equal. */
    @Test
    void scopesAreToldApart() throws Exception {
        byte[] ip = InetAddress.ofLiteral("fe80::1").getAddress();
        for (int round = 0; round < 2; round++) {
            for (int scope = 1; scope < 4; scope++) {
                var each = new InetSocketAddress(Inet6Address.getByAddress(null, ip, scope), 1234);
                assertArrayEquals(expected(each), written(received(each)));
                assertArrayEquals(expected(each), written(peers.of(each)));
            }
        }
    }

    @Test
    void aMappedIpv4AddressKeepsTheFormOfItsSocket() throws Exception {
        name.fill((byte) 0);
        try (Arena scratch = Arena.ofConfined()) {
            MemorySegment six = SocketAddresses.toNative(address("2001:db8::1", 53), scratch);
            MemorySegment.copy(six, 0, name, 0, 8);
        }
        byte[] mapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 10, 1, 2, 3};
        MemorySegment.copy(mapped, 0, name, JAVA_BYTE, 8, 16);
        byte[] form = name.asSlice(0, 28).toArray(JAVA_BYTE);
        PeerAddresses.Peer peer = peers.of(name.address());
        assertEquals(address("10.1.2.3", 53), peer.address);
        assertArrayEquals(form, written(peer));
        assertArrayEquals(form, written(peers.of(address("10.1.2.3", 53))));
    }
}
