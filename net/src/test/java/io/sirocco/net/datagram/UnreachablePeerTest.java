// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.datagram;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.net.Datagrams;
import io.sirocco.net.Rig;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * An ICMP error of one datagram fails the system call that sends the next one, which is not at
 * fault. (The JDK hides such an error and loses that datagram, so NIO cannot pass this.)
 */
@Timeout(60)
class UnreachablePeerTest {
    /** With the few to nobody they are as many as the kernel is given at a time. */
    private static final int FULL = DatagramQueue.MAX_DATAGRAMS - 6;

    private static InetSocketAddress addressOf(DatagramSocket socket) {
        return (InetSocketAddress) socket.getLocalSocketAddress();
    }

    @ParameterizedTest
    @EnumSource(
            value = TransportKind.class,
            names = {"IO_URING", "EPOLL"})
    void datagramsToOthersAreAllSent(TransportKind transport) throws Exception {
        try (var rig = new Rig(transport);
                var peer = new DatagramSocket(Rig.anyPort())) {
            peer.setSoTimeout(10_000);
            peer.setReceiveBufferSize(1 << 20);
            Datagrams datagrams =
                    rig.loops().datagrams(Rig.anyPort(), (d, bytes, length, from) -> {});
            Rig.reportUnreachablePeers(datagrams);
            var nobody = new DatagramSocket(Rig.anyPort());
            InetSocketAddress closed = addressOf(nobody);
            nobody.close();
            for (int round = 0; round < 20; round++) {
                Rig.on(rig.loop(), () -> sendToBoth(datagrams, closed, addressOf(peer)));
                for (int i = 0; i < FULL + 1; i++) {
                    var packet = new DatagramPacket(new byte[10], 10);
                    peer.receive(packet);
                    assertEquals((byte) i, packet.getData()[0]);
                }
            }
            assertEquals(0, datagrams.dropped());
        }
    }

    private static void sendToBoth(
            Datagrams datagrams, InetSocketAddress closed, InetSocketAddress peer) {
        try {
            for (int i = 0; i < FULL; i++) {
                datagrams.send(new byte[] {(byte) i}, 1, peer);
                if (i % 50 == 7) {
                    datagrams.send(new byte[1], 1, closed);
                }
            }
            datagrams.send(new byte[1], 1, closed);
            datagrams.send(new byte[] {(byte) FULL}, 1, peer); // the first of a call
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
