// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** UDP on a loop. */
@OnEachTransport
class DatagramsTest {
    @Parameter TransportKind transport;
    private Rig rig;
    private DatagramSocket peer;

    @BeforeEach
    void start() throws Exception {
        rig = new Rig(transport);
        peer = new DatagramSocket(Rig.anyPort());
        peer.setSoTimeout(10_000);
        peer.setReceiveBufferSize(1 << 20);
    }

    @AfterEach
    void stop() throws Exception {
        peer.close();
        rig.close();
    }

    private Datagrams echo() throws IOException {
        return rig.loops()
                .datagrams(
                        Rig.anyPort(),
                        (datagrams, bytes, length, from) -> {
                            try {
                                assertTrue(datagrams.loop().inLoop());
                                assertTrue(datagrams.send(bytes, length, from));
                            } catch (IOException e) {
                                throw new AssertionError(e);
                            }
                        });
    }

    private void send(Datagrams to, byte[] bytes) throws IOException {
        peer.send(new DatagramPacket(bytes, bytes.length, to.address()));
    }

    private byte[] receive() throws IOException {
        var packet = new DatagramPacket(new byte[70_000], 70_000);
        peer.receive(packet);
        return Arrays.copyOf(packet.getData(), packet.getLength());
    }

    @Test
    void echoesEverySize() throws Exception {
        Datagrams datagrams = echo();
        for (int size : new int[] {0, 1, 2, 1472, 1473, 8192, 65_506, Datagrams.MAX_SIZE}) {
            byte[] sent = Rig.pattern(size);
            send(datagrams, sent);
            assertArrayEquals(sent, receive(), () -> size + " bytes");
        }
    }

    @Test
    void oneThatIsTooLongIsRefused() throws Exception {
        Datagrams datagrams = echo();
        var to = (InetSocketAddress) peer.getLocalSocketAddress();
        Rig.on(
                rig.loop(),
                () ->
                        assertThrows(
                                IOException.class,
                                () -> datagrams.send(new byte[65_508], 65_508, to)));
        send(datagrams, new byte[] {5});
        assertArrayEquals(new byte[] {5}, receive());
    }

    @Test
    void manyAreAllAnswered() throws Exception {
        Datagrams datagrams = echo();
        for (int round = 0; round < 50; round++) {
            for (int i = 0; i < 60; i++) {
                send(datagrams, new byte[] {(byte) round, (byte) i});
            }
            for (int i = 0; i < 60; i++) {
                assertArrayEquals(new byte[] {(byte) round, (byte) i}, receive());
            }
        }
    }

    /** Each has the next one sent, so the socket is never empty: others have their turn. */
    @Test
    void anEndlessStreamOfThemDoesNotHoldTheLoop() throws Exception {
        var stop = new AtomicBoolean();
        var seen = new AtomicInteger();
        Datagrams datagrams =
                rig.loops()
                        .datagrams(
                                Rig.anyPort(),
                                (d, bytes, length, from) -> {
                                    seen.incrementAndGet();
                                    if (!stop.get()) {
                                        try {
                                            d.send(bytes, 1, d.address());
                                            d.send(bytes, 1, d.address());
                                        } catch (IOException e) {
                                            throw new AssertionError(e);
                                        }
                                    }
                                });
        send(datagrams, new byte[1]);
        Rig.until("many were seen", () -> seen.get() > 10_000);
        assertEquals("x", rig.connect(rig.listen(c -> new Echo())).send("x").text(1));
        stop.set(true);
        Rig.settle(rig.loop());
    }

    @Test
    void aReceiverThatThrowsGoesOn() throws Exception {
        var seen = new AtomicInteger();
        Datagrams datagrams =
                rig.loops()
                        .datagrams(
                                Rig.anyPort(),
                                (d, bytes, length, from) -> {
                                    seen.incrementAndGet();
                                    throw new IllegalStateException("as a receiver may");
                                });
        send(datagrams, new byte[1]);
        send(datagrams, new byte[1]);
        Rig.until("both were seen", () -> seen.get() == 2);
        Rig.until("both were told", () -> rig.failures.size() == 2);
    }

    @Test
    void aPeerThatIsGoneDoesNoHarm() throws Exception {
        Datagrams datagrams = echo();
        var nobody = new DatagramSocket(Rig.anyPort());
        var address = (InetSocketAddress) nobody.getLocalSocketAddress();
        nobody.close();
        Rig.on(
                rig.loop(),
                () -> {
                    for (int i = 0; i < 3; i++) {
                        try {
                            datagrams.send(new byte[1], 1, address);
                        } catch (IOException e) {
                            // the system may tell of an earlier one
                        }
                    }
                });
        send(datagrams, new byte[] {9});
        assertArrayEquals(new byte[] {9}, receive());
    }

    @Test
    void closingGivesTheAddressBack() throws Exception {
        Datagrams first = echo();
        InetSocketAddress address = first.address();
        IOException e =
                assertThrows(
                        IOException.class,
                        () -> rig.loops().datagrams(address, (d, bytes, length, from) -> {}));
        assertTrue(e.getMessage().contains("127.0.0.1:" + address.getPort()), e::getMessage);
        int before = Rig.openDescriptors();
        for (int i = 0; i < 50; i++) {
            first.close();
            first.close();
            Datagrams closed = first;
            assertFalse(Rig.ask(rig.loop(), () -> closed.send(new byte[1], 1, Rig.anyPort())));
            first =
                    rig.loops()
                            .datagrams(
                                    address,
                                    (d, bytes, length, from) -> {
                                        try {
                                            d.send(bytes, length, from);
                                        } catch (IOException io) {
                                            throw new AssertionError(io);
                                        }
                                    });
            send(first, new byte[] {(byte) i});
            assertArrayEquals(new byte[] {(byte) i}, receive());
        }
        assertEquals(before, Rig.openDescriptors());
    }

    /** A protocol may open a socket for each transfer. */
    @Test
    void oneThatIsClosedIsForgotten() throws Exception {
        var closed = new ArrayList<WeakReference<Datagrams>>();
        for (int i = 0; i < 20; i++) {
            Datagrams datagrams = echo();
            closed.add(new WeakReference<>(datagrams));
            datagrams.close();
        }
        Rig.until(
                "they are collected",
                () -> {
                    System.gc();
                    return closed.stream().filter(r -> r.get() != null).count() <= 1;
                });
    }

    @Test
    void closingFromTheReceiver() throws Exception {
        Datagrams datagrams =
                rig.loops().datagrams(Rig.anyPort(), (d, bytes, length, from) -> d.close());
        send(datagrams, new byte[1]);
        send(datagrams, new byte[1]);
        Rig.until("it is closed", () -> Rig.ask(rig.loop(), datagrams::closed));
        assertEquals("x", rig.connect(rig.listen(c -> new Echo())).send("x").text(1));
    }
}
