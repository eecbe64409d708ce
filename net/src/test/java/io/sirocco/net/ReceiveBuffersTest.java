// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The bytes that many connections receive at once stay apart, whether the transport puts them into
 * one buffer or each piece into a buffer of its own.
 */
class ReceiveBuffersTest {
    private static final String SIZE = "io.sirocco.net.receiveBuffer"; // of io_uring

    private Rig rig;

    @AfterEach
    void stop() throws Exception {
        System.clearProperty(SIZE);
        if (rig != null) {
            rig.close();
        }
    }

    /** Sends back what comes in, from where it is. */
    private static final class Reflection implements Protocol {
        @Override
        public int relay(Connection connection, ReceivedBytes input) {
            input.writeTo(connection, input.length());
            return input.length();
        }

        @Override
        public int received(Connection connection, byte[] bytes, int from, int to) {
            throw new AssertionError("it was all relayed");
        }
    }

    @ParameterizedTest
    @CsvSource({"IO_URING, 4096", "IO_URING, 16384", "IO_URING, 65536", "EPOLL, 65536"})
    void manyConnectionsAtOnce(TransportKind transport, int size) throws Exception {
        echoAtOnce(transport, size, 10);
    }

    @ParameterizedTest
    @CsvSource({"IO_URING, 4096", "IO_URING, 16384", "IO_URING, 65536", "EPOLL, 65536"})
    @Tag("heavy")
    void manyConnectionsForLong(TransportKind transport, int size) throws Exception {
        echoAtOnce(transport, size, 60);
    }

    private void echoAtOnce(TransportKind transport, int size, int rounds) throws Exception {
        System.setProperty(SIZE, Integer.toString(size));
        rig = new Rig(transport);
        Listener copies = rig.listen(c -> new Echo());
        Listener reflects = rig.listen(c -> new Reflection());
        List<Thread> clients = new ArrayList<>();
        List<Throwable> failures = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
            Peer peer = rig.connect(i % 2 == 0 ? copies : reflects);
            int first = i;
            clients.add(
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        try {
                                            echo(peer, first, rounds);
                                        } catch (Throwable e) {
                                            synchronized (failures) {
                                                failures.add(e);
                                            }
                                        }
                                    }));
        }
        for (Thread client : clients) {
            client.join();
        }
        for (Throwable failure : failures) {
            throw new AssertionError(failure);
        }
    }

    /**
     * Pieces from a byte to a quarter of a megabyte, of which each place is told from the others.
     */
    private static void echo(Peer peer, int first, int rounds) throws InterruptedException {
        byte[] pattern = Rig.pattern(1 << 20);
        int size = first + 1;
        for (int round = 0; round < rounds; round++) {
            int at = (first * 7919 + round * 104_729) % (pattern.length - (1 << 18));
            byte[] sent = new byte[size];
            System.arraycopy(pattern, at, sent, 0, size);
            Thread sender = peer.sending(sent);
            assertArrayEquals(sent, peer.read(size));
            sender.join();
            size = size * 5 % ((1 << 18) - 5) + 1;
        }
    }
}
