// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.uring;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.Connection;
import io.sirocco.net.Connector;
import io.sirocco.net.Destination;
import io.sirocco.net.Echo;
import io.sirocco.net.Listener;
import io.sirocco.net.OpenFile;
import io.sirocco.net.Peer;
import io.sirocco.net.Protocol;
import io.sirocco.net.Rig;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * io_uring: more happens at once than the completion queue holds, so that the kernel keeps the rest
 * back. Nothing of it is lost, and each operation gets its own result.
 */
@Timeout(60)
class CompletionOverflowTest {
    private static final int COMPLETIONS = 64;
    private static final int CLIENTS = 250;
    private static final int LENGTH = 20_000;

    @TempDir Path folder;
    private Rig rig;

    @BeforeEach
    void start() throws Exception {
        rig = new Rig(TransportKind.IO_URING);
        System.setProperty(Ring.COMPLETIONS, Integer.toString(COMPLETIONS));
    }

    @AfterEach
    void stop() throws Exception {
        System.clearProperty(Ring.COMPLETIONS);
        System.clearProperty(Uring.TABLE_SIZE);
        rig.close();
        assertTrue(rig.failures.isEmpty(), () -> "" + rig.failures);
    }

    private static void write(Connection connection, String text) {
        byte[] bytes = text.getBytes();
        connection.write(bytes, 0, bytes.length);
    }

    /** There are more sends in one turn than the submission queue holds, each of two chunks. */
    @Test
    void eachClientGetsItsOwnBytesWhenAllAreWrittenToAtOnce() throws Exception {
        var connections = new TreeMap<Integer, Connection>();
        Listener listener =
                rig.listen(
                        _ ->
                                (connection, bytes, from, to) -> {
                                    connections.put(bytes[from] & 0xff, connection);
                                    if (connections.size() == CLIENTS) {
                                        connections.forEach(
                                                (number, each) ->
                                                        each.write(content(number), 0, LENGTH));
                                    }
                                    return to;
                                });
        List<Peer> peers = connectAll(listener);
        sendWhileBlocked(peers);
        for (int i = 0; i < CLIENTS; i++) {
            assertArrayEquals(content(i), peers.get(i).read(LENGTH), "the bytes of " + i);
        }
    }

    private static byte[] content(int number) {
        var bytes = new byte[LENGTH];
        Arrays.fill(bytes, (byte) number);
        return bytes;
    }

    private List<Path> files() throws IOException {
        var files = new ArrayList<Path>();
        for (int i = 0; i < CLIENTS; i++) {
            files.add(Files.write(folder.resolve("f" + i), content(i)));
        }
        return files;
    }

    private List<Peer> connectAll(Listener listener) throws IOException {
        var peers = new ArrayList<Peer>();
        for (int i = 0; i < CLIENTS; i++) {
            peers.add(rig.connect(listener));
        }
        Rig.until("all are accepted", () -> rig.stats().connections() == CLIENTS);
        return peers;
    }

    /** Each peer sends a byte, its number, while the loop is blocked. */
    private void sendWhileBlocked(List<Peer> peers) {
        var sent = new CountDownLatch(1);
        rig.loop().execute(() -> await(sent));
        for (int i = 0; i < CLIENTS; i++) {
            peers.get(i).send(new byte[] {(byte) i});
        }
        sent.countDown();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void eachClientGetsItsOwnFileAndNoDescriptorLeaks() throws Exception {
        List<Path> files = files();
        Listener listener =
                rig.listen(
                        _ ->
                                (connection, bytes, from, to) -> {
                                    try {
                                        OpenFile file =
                                                OpenFile.open(files.get(bytes[from] & 0xff));
                                        write(connection, "head ");
                                        connection.write(file, 0, LENGTH);
                                    } catch (IOException e) {
                                        throw new UncheckedIOException(e);
                                    }
                                    return to;
                                });
        int before = Rig.openDescriptors();
        List<Peer> peers = connectAll(listener);
        for (int round = 0; round < 3; round++) {
            sendWhileBlocked(peers);
            for (int i = 0; i < CLIENTS; i++) {
                assertEquals("head ", peers.get(i).text(5));
                assertArrayEquals(content(i), peers.get(i).read(LENGTH), "the file of " + i);
            }
        }
        for (Peer peer : peers) {
            peer.close();
        }
        Rig.until("all are gone", () -> rig.stats().connections() == 0);
        Rig.until("no descriptor is left", () -> Rig.openDescriptors() <= before);
    }

    @Test
    void eachClientIsKnownByItsOwnAddress() throws Exception {
        Listener listener =
                rig.listen(
                        _ ->
                                (connection, bytes, from, to) -> {
                                    var remote = (InetSocketAddress) connection.remote();
                                    write(connection, "%05d".formatted(remote.getPort()));
                                    return to;
                                });
        List<Peer> peers = connectAll(listener);
        sendWhileBlocked(peers);
        for (Peer peer : peers) {
            var own = (InetSocketAddress) peer.channel.getLocalAddress();
            assertEquals("%05d".formatted(own.getPort()), peer.text(5));
        }
    }

    @Test
    void aResetReachesTheConnectionThatItIsFor() throws Exception {
        Listener listener =
                rig.listen(
                        _ ->
                                (connection, bytes, from, to) -> {
                                    if (bytes[from] % 2 == 0) {
                                        connection.reset();
                                    } else {
                                        write(connection, "kept");
                                    }
                                    return to;
                                });
        int before = Rig.openDescriptors();
        List<Peer> peers = connectAll(listener);
        sendWhileBlocked(peers);
        for (int i = 0; i < CLIENTS; i++) {
            if (i % 2 == 0) {
                assertTrue(peers.get(i).over());
            } else {
                assertEquals("kept", peers.get(i).text(4));
            }
        }
        for (Peer peer : peers) {
            peer.close();
        }
        Rig.until("all are gone", () -> rig.stats().connections() == 0);
        Rig.until("no descriptor is left", () -> Rig.openDescriptors() <= before);
    }

    /** A further ring is not waited on: what its kernel side keeps back has to be asked for. */
    @Test
    void furtherTablesDeliverWhatTheKernelKeptBack() throws Exception {
        System.setProperty(Uring.TABLE_SIZE, "512");
        System.setProperty(Ring.COMPLETIONS, "16");
        Listener listener = rig.listen(_ -> new Echo());
        var peers = new ArrayList<Peer>();
        int count = 800; // 384 in the main table, the others in a further one
        for (int i = 0; i < count; i++) {
            peers.add(rig.connect(listener));
        }
        Rig.until("all are accepted", () -> rig.stats().connections() == count);
        for (int round = 0; round < 5; round++) {
            var sent = new CountDownLatch(1);
            rig.loop().execute(() -> await(sent));
            for (Peer peer : peers) {
                peer.send("ping");
            }
            sent.countDown();
            for (Peer peer : peers) {
                assertEquals("ping", peer.text(4));
            }
        }
    }

    /** Addresses of connections that a loop opens itself are asked for by way of a descriptor. */
    @Test
    void eachConnectionThatTheLoopOpensKnowsItsOwnEnd() throws Exception {
        var connected = new AtomicInteger();
        var wrong = new AtomicInteger();
        Listener listener =
                rig.listen(
                        connection -> {
                            int port = ((InetSocketAddress) connection.remote()).getPort();
                            write(connection, "%05d".formatted(port));
                            return (_, _, _, to) -> to;
                        });
        int before = Rig.openDescriptors();
        Destination to = Destination.of(listener.address());
        Connector connector =
                new Connector() {
                    @Override
                    public Protocol connected(Connection connection) {
                        return (same, bytes, from, end) -> {
                            if (end - from < 5) {
                                return from;
                            }
                            int port = ((InetSocketAddress) same.local()).getPort();
                            if (!"%05d".formatted(port).equals(new String(bytes, from, 5))) {
                                wrong.incrementAndGet();
                            }
                            connected.incrementAndGet();
                            same.abort();
                            return end;
                        };
                    }

                    @Override
                    public void failed(IOException why) {
                        wrong.incrementAndGet();
                        connected.incrementAndGet();
                    }
                };
        Rig.on(
                rig.loop(),
                () -> {
                    for (int i = 0; i < CLIENTS; i++) {
                        rig.loop().connect(to, connector);
                    }
                });
        Rig.until("all were told", () -> connected.get() == CLIENTS);
        assertEquals(0, wrong.get());
        Rig.until("all are gone", () -> rig.stats().connections() == 0);
        Rig.until("no descriptor is left", () -> Rig.openDescriptors() <= before);
    }
}
