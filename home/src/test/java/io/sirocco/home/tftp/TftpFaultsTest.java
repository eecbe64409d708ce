// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.tftp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.Rig;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.ManualClock;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lost, late and foreign packets, and peers that fall silent, by a clock moved by hand. */
class TftpFaultsTest {
    private static final InetAddress LOCAL = InetAddress.ofLiteral("127.0.0.1");
    private static final int RESPONSE_TIMEOUT = 5_300; // 5 s and the grain of the timers

    @TempDir Path root;
    private final ManualClock clock = new ManualClock();
    private Path main;
    private Rig rig;
    private TftpServer server;
    private Peer peer;

    @BeforeEach
    void start() throws IOException {
        main = Files.createDirectories(root.resolve("a")).resolve("MAIN.LUA");
        Files.writeString(main, "x".repeat(1_000));
        rig = new Rig(TransportKind.AUTO);
        rig.start(s -> s.loops(1).clock(clock));
        server = TftpServer.start(rig.loops(), LOCAL, 0, root, TftpSettings.DEFAULTS);
        server.admit(LOCAL);
        peer = new Peer();
    }

    @AfterEach
    void stop() throws IOException {
        peer.close();
        server.close();
        rig.close();
        assertTrue(rig.failures.isEmpty(), rig.failures::toString);
    }

    /** A TFTP peer by hand. */
    private final class Peer implements AutoCloseable {
        private final DatagramSocket socket;
        private SocketAddress from;

        Peer() throws IOException {
            socket = new DatagramSocket(Rig.anyPort());
            socket.setSoTimeout(10_000);
        }

        Peer request(boolean write) throws IOException {
            return send(new Packet.Request(write, "a:\\MAIN.LUA", Mode.OCTET), server.address());
        }

        Peer send(Packet packet) throws IOException {
            return send(packet, from);
        }

        Peer send(Packet packet, SocketAddress to) throws IOException {
            byte[] bytes = packet.bytes();
            socket.send(new DatagramPacket(bytes, bytes.length, to));
            return this;
        }

        Peer ack(int block) throws IOException {
            return send(new Packet.Ack(block));
        }

        Peer data(int block, int length) throws IOException {
            return send(new Packet.Data(block, "y".repeat(length).getBytes(UTF_8)));
        }

        /** Receives a packet, and remembers its sender. */
        String receive() throws IOException {
            var packet = new DatagramPacket(new byte[600], 600);
            socket.receive(packet);
            from = packet.getSocketAddress();
            return switch (Packet.parse(packet.getData(), packet.getLength())) {
                case Packet.Data data -> "DATA " + data.block() + " " + data.content().length;
                case Packet.Ack ack -> "ACK " + ack.block();
                case Packet.Failure failure -> "ERROR " + failure.code() + " " + failure.text();
                case Packet other -> other.toString();
            };
        }

        Peer receives(String... packets) throws IOException {
            for (String expected : packets) {
                assertEquals(expected, receive());
            }
            return this;
        }

        /** Nothing has come until now: another request on another port has its response first. */
        void receivesNothing() throws IOException {
            try (var other = new Peer()) {
                assertTrue(other.request(false).receive().startsWith("DATA 1 "));
                other.send(new Packet.Failure(0, "enough"));
            }
            socket.setSoTimeout(1);
            assertThrows(SocketTimeoutException.class, this::receive);
            socket.setSoTimeout(10_000);
        }

        InetSocketAddress address() {
            return (InetSocketAddress) socket.getLocalSocketAddress();
        }

        @Override
        public void close() {
            socket.close();
        }
    }

    private String content() throws IOException {
        return Files.readString(main);
    }

    private void isOld() throws IOException {
        assertEquals("x".repeat(1_000), content());
    }

    private boolean hasTemporary() {
        try (var files = Files.list(main.getParent())) {
            return files.anyMatch(Upload::isTemporary);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aLostDataPacketIsSentAgain() throws IOException {
        peer.request(false).receives("DATA 1 512");
        clock.advance(RESPONSE_TIMEOUT);
        peer.receives("DATA 1 512").ack(1).receives("DATA 2 488");
        clock.advance(RESPONSE_TIMEOUT);
        peer.receives("DATA 2 488").ack(2);
    }

    @Test
    void afterThreeTriesTheTransferEnds() throws IOException {
        peer.request(false).receives("DATA 1 512");
        clock.advance(RESPONSE_TIMEOUT);
        peer.receives("DATA 1 512");
        clock.advance(RESPONSE_TIMEOUT);
        peer.receives("DATA 1 512");
        clock.advance(rig.loop(), RESPONSE_TIMEOUT);
        peer.receives("ERROR 0 Timed out").ack(1).receivesNothing();
    }

    /** RFC 1123 4.2.3.1: a response to each copy of an ACK doubles all that follows. */
    @Test
    void sorcerersApprentice() throws IOException {
        peer.request(false).receives("DATA 1 512");
        peer.ack(1).ack(1).ack(1).receives("DATA 2 488").receivesNothing();
        peer.ack(2);
    }

    @Test
    void anUploadIsAcknowledgedAgainForEachCopy() throws IOException {
        peer.request(true).receives("ACK 0");
        peer.data(1, 512).data(1, 512).receives("ACK 1", "ACK 1");
        peer.data(2, 3).receives("ACK 2");
        assertEquals("y".repeat(515), content());
    }

    @Test
    void theLastAcknowledgementIsRepeatedFor10Seconds() throws IOException {
        peer.request(true).receives("ACK 0").data(1, 4).receives("ACK 1");
        clock.advance(rig.loop(), 9_000);
        peer.data(1, 4).receives("ACK 1").data(1, 4).receives("ACK 1");
        clock.advance(rig.loop(), 1_300);
        peer.data(1, 4).receivesNothing();
        assertEquals("yyyy", content());
    }

    /** Its client may use the same port for the next file at once. */
    @Test
    void thePortOfAnUploadMayBeginTheNext() throws IOException {
        for (int i = 0; i < 200; i++) {
            peer.request(true).receives("ACK 0").data(1, i).receives("ACK 1");
        }
        assertEquals("y".repeat(199), content());
    }

    @Test
    void aRequestThatIsSentTwiceBeginsOneTransfer() throws IOException {
        peer.request(false).receives("DATA 1 512").request(false).receivesNothing();
        peer.ack(1).receives("DATA 2 488").ack(2);
    }

    @Test
    void aForeignPortIsRefusedAndDoesNotEndTheTransfer() throws IOException {
        peer.request(false).receives("DATA 1 512");
        try (var foreign = new Peer()) {
            foreign.send(new Packet.Ack(1), peer.from).receives("ERROR 5 Unknown transfer ID");
            foreign.send(new Packet.Failure(0, "end"), peer.from);
            foreign.send(new Packet.Ack(1), peer.from).receives("ERROR 5 Unknown transfer ID");
        }
        peer.receivesNothing();
        peer.ack(1).receives("DATA 2 488").ack(2);
    }

    @Test
    void anUploadThatBreaksOffLeavesTheOldFile() throws IOException {
        peer.request(true).receives("ACK 0").data(1, 512).receives("ACK 1");
        assertTrue(hasTemporary());
        isOld();
        peer.send(new Packet.Failure(0, "no more"));
        Rig.until("the rest is deleted", () -> !hasTemporary());
        isOld();
    }

    @Test
    void anUploadThatFallsSilentLeavesTheOldFile() throws IOException {
        peer.request(true).receives("ACK 0").data(1, 512).receives("ACK 1");
        clock.advance(RESPONSE_TIMEOUT);
        peer.receives("ACK 1");
        clock.advance(RESPONSE_TIMEOUT);
        peer.receives("ACK 1");
        clock.advance(RESPONSE_TIMEOUT);
        peer.receives("ERROR 0 Timed out");
        Rig.until("the rest is deleted", () -> !hasTemporary());
        isOld();
    }

    @Test
    void aServerThatEndsLeavesTheOldFile() throws IOException {
        peer.request(true).receives("ACK 0").data(1, 512).receives("ACK 1");
        server.close();
        peer.receives("ERROR 0 Server ends");
        Rig.until("the rest is deleted", () -> !hasTemporary());
        isOld();
    }

    @Test
    void aTransferThatCrawlsEnds() throws IOException {
        peer.request(true).receives("ACK 0");
        String received = "";
        for (int block = 1; block < 1_000 && !received.startsWith("ERROR"); block++) {
            peer.data(block, 512);
            received = peer.receive();
            clock.advance(4_000);
        }
        assertEquals("ERROR 0 Transfer takes too long", received);
        isOld();
    }

    @Test
    void aHostHasFourTransfers() throws IOException {
        var peers = new Peer[5];
        for (int i = 0; i < 5; i++) {
            peers[i] = new Peer();
            peers[i].request(false).receives(i < 4 ? "DATA 1 512" : "ERROR 0 Too many transfers");
        }
        peers[0].send(new Packet.Failure(0, "enough"));
        Rig.until(
                "there is room again",
                () -> {
                    try {
                        return peers[4].request(false).receive().startsWith("DATA 1");
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                });
        Arrays.stream(peers).forEach(Peer::close);
    }

    @Test
    void theServerEndsTenMinutesAfterTheLastTransfer() throws IOException {
        clock.advance(rig.loop(), 599_000);
        peer.request(false).receives("DATA 1 512").ack(1).receives("DATA 2 488").ack(2);
        Rig.settle(rig.loop());
        clock.advance(rig.loop(), 599_000);
        assertFalse(server.ended().isDone());
        server.admit(LOCAL);
        Rig.settle(rig.loop());
        clock.advance(rig.loop(), 599_000);
        assertFalse(server.ended().isDone());
        Rig.until(
                "it ends", // a little later when the transfer ended after its last packet
                () -> {
                    clock.advance(rig.loop(), 2_000);
                    return server.ended().isDone();
                });
        new DatagramSocket(server.address()).close();
    }

    @Test
    void whatIsNoRequestIsIgnoredOrRefused() throws IOException {
        peer.send(new Packet.Ack(1), server.address());
        peer.send(new Packet.Data(1, new byte[3]), server.address());
        peer.send(new Packet.Failure(0, ""), server.address());
        peer.receivesNothing();
        peer.socket.send(new DatagramPacket(new byte[] {9, 9}, 2, server.address()));
        peer.receives("ERROR 4 Illegal TFTP operation");
    }

    @Test
    void theClientAsksThreeTimes() throws IOException {
        var client = new TftpClient(rig.loops(), LOCAL, TftpSettings.DEFAULTS);
        var read = client.read(peer.address(), "a:\\X", Mode.OCTET);
        for (int i = 0; i < 3; i++) {
            peer.receives("Request[write=false, file=a:\\X, mode=OCTET]");
            clock.advance(RESPONSE_TIMEOUT);
        }
        var thrown = assertThrows(CompletionException.class, () -> Rig.get(read));
        assertEquals("Timed out", thrown.getCause().getMessage());
    }

    /** The server responds from another port, and only that one counts from then on. */
    @Test
    void theClientTakesThePortOfTheFirstResponse() throws IOException {
        var client = new TftpClient(rig.loops(), LOCAL, TftpSettings.DEFAULTS);
        var read = client.read(peer.address(), "a:\\X", Mode.NETASCII);
        peer.receives("Request[write=false, file=a:\\X, mode=NETASCII]");
        try (var port = new Peer();
                var late = new Peer()) {
            port.send(
                    new Packet.Data(1, "a\r\n".repeat(171).substring(1).getBytes(UTF_8)),
                    peer.from);
            port.receives("ACK 1");
            late.send(new Packet.Data(1, new byte[512]), peer.from)
                    .receives("ERROR 5 Unknown transfer ID");
            port.data(2, 1).receives("ACK 2");
            assertEquals("\n" + "a\n".repeat(170) + "y", new String(Rig.get(read), UTF_8));
            port.data(2, 1).receives("ACK 2"); // the last one was lost
        }
    }
}
