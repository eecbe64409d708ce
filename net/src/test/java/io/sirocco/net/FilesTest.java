// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.file.SharedFile;
import io.sirocco.net.uring.Uring;
import io.sirocco.testkit.OnEachTransport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Regions of files go out whole, in their place, and are closed behind it. */
@OnEachTransport
class FilesTest {
    @Parameter TransportKind transport;
    @TempDir Path folder;
    private Rig rig;

    @BeforeEach
    void start() {
        rig = new Rig(transport);
    }

    @AfterEach
    void stop() throws Exception {
        System.clearProperty(Uring.TABLE_SIZE);
        rig.close();
        assertTrue(rig.failures.isEmpty(), () -> "" + rig.failures);
    }

    private Path file(int length) throws IOException {
        return Files.write(folder.resolve("f" + length), Rig.pattern(length));
    }

    private static OpenFile opened(Path file) {
        try {
            return OpenFile.open(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Does {@code writes} whenever a byte has come. */
    private static Acceptor onDemand(Consumer<Connection> writes) {
        return _ ->
                (connection, bytes, from, to) -> {
                    for (int i = from; i < to; i++) {
                        writes.accept(connection);
                    }
                    return to;
                };
    }

    private static void write(Connection connection, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        connection.write(bytes, 0, bytes.length);
    }

    @Test
    void aFileStandsBetweenItsHeadAndWhatFollows() throws Exception {
        Path file = file(300_000);
        Listener listener =
                rig.listen(
                        onDemand(
                                connection -> {
                                    write(connection, "head ");
                                    connection.write(opened(file), 0, 300_000);
                                    write(connection, " between ");
                                    connection.write(opened(file), 1_000, 2_000);
                                    write(connection, " behind");
                                }));
        Peer peer = rig.connect(listener);
        byte[] all = Rig.pattern(300_000);
        for (int i = 0; i < 3; i++) {
            peer.send("x");
            assertEquals("head ", peer.text(5));
            assertArrayEquals(all, peer.read(all.length));
            assertEquals(" between ", peer.text(9));
            assertArrayEquals(Arrays.copyOfRange(all, 1_000, 3_000), peer.read(2_000));
            assertEquals(" behind", peer.text(7));
        }
    }

    /** As above, with the content in memory: what is short is copied, what is long is not. */
    @Test
    void loadedContentStandsBetweenItsHeadAndWhatFollows() throws Exception {
        OpenFile file = opened(file(300_000));
        assertTrue(file.load());
        Listener listener =
                rig.listen(
                        onDemand(
                                connection -> {
                                    write(connection, "head ");
                                    assertTrue(file.retain());
                                    connection.write(file, 0, 300_000);
                                    write(connection, " between ");
                                    for (int n = 0; n < 20; n++) { // more than a message has parts
                                        assertTrue(file.retain());
                                        connection.write(file, 1_000, 5_000);
                                    }
                                    assertTrue(file.retain());
                                    connection.write(file, 1_000, 20);
                                    write(connection, " behind");
                                }));
        Peer peer = rig.connect(listener);
        byte[] all = Rig.pattern(300_000);
        for (int i = 0; i < 3; i++) {
            peer.send("xx");
            for (int twice = 0; twice < 2; twice++) {
                assertEquals("head ", peer.text(5));
                assertArrayEquals(all, peer.read(all.length));
                assertEquals(" between ", peer.text(9));
                for (int n = 0; n < 20; n++) {
                    assertArrayEquals(Arrays.copyOfRange(all, 1_000, 6_000), peer.read(5_000));
                }
                assertArrayEquals(Arrays.copyOfRange(all, 1_000, 1_020), peer.read(20));
                assertEquals(" behind", peer.text(7));
            }
        }
        file.release();
        assertFalse(file.retain(), "somebody still holds it");
        assertEquals(null, ((SharedFile) file).content(), "its memory is freed");
    }

    @Test
    void loadedContentOutlivesItsOwnerUntilTheLastByteHasLeft() throws Exception {
        int length = 512 << 10;
        OpenFile file = opened(file(length));
        assertTrue(file.load());
        Listener listener =
                rig.listen(
                        onDemand(
                                connection -> {
                                    for (int n = 0; n < 20; n++) {
                                        assertTrue(file.retain());
                                        connection.write(file, 0, length);
                                    }
                                    connection.finish();
                                }));
        Peer slow = rig.closes(Peer.small(listener.address())).send("x");
        Peer gone = rig.closes(Peer.small(listener.address())).send("x");
        assertEquals(1, slow.read(1).length);
        assertEquals(1, gone.read(1).length);
        file.release();
        assertTrue(file.loaded(), "it is being sent");
        gone.reset();
        byte[] all = Rig.pattern(length);
        assertArrayEquals(Arrays.copyOfRange(all, 1, length), slow.widen().read(length - 1));
        for (int n = 1; n < 20; n++) {
            assertArrayEquals(all, slow.read(length));
        }
        slow.end();
        assertEquals(0, slow.readAll().length);
        Rig.settle(rig.loop());
        assertFalse(file.retain(), "somebody still holds it");
    }

    @Test
    void aFileThatHasChangedIsNotLoaded() throws Exception {
        Path path = file(10_000);
        OpenFile shorter = opened(path);
        Files.write(path, Rig.pattern(9_000));
        assertFalse(shorter.load());
        assertFalse(shorter.loaded());
        shorter.release();
    }

    @Test
    void aReaderThatStopsCostsNoMemory() throws Exception {
        int length = 20 << 20;
        Path file = file(length);
        Listener listener =
                rig.listen(
                        onDemand(
                                connection -> {
                                    connection.write(opened(file), 0, length);
                                    connection.finish();
                                }));
        Peer peer = rig.closes(Peer.small(listener.address())).send("x");
        peer.end();
        Loop loop = rig.loop();
        long sent = -1;
        while (sent != loop.stats().bytesOut()) { // until the kernel takes no more
            sent = loop.stats().bytesOut();
            for (int i = 0; i < 20; i++) {
                Rig.settle(loop);
            }
        }
        assertTrue(loop.stats().writeMemory() <= 512 << 10, () -> "" + loop.stats());
        assertArrayEquals(Rig.pattern(length), peer.widen().readAll());
    }

    @Test
    void manyAtOnceAllArriveAndAreClosed() throws Exception {
        int length = 200_000;
        Path file = file(length);
        OpenFile shared = opened(file);
        Listener listener =
                rig.listen(
                        onDemand(
                                connection -> {
                                    assertTrue(shared.retain());
                                    connection.write(shared, 0, length);
                                    connection.finish(false);
                                }));
        int before = Rig.openDescriptors();
        byte[] all = Rig.pattern(length);
        for (int round = 0; round < 3; round++) {
            List<Peer> peers = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                peers.add(Peer.to(listener.address()).send("x"));
            }
            for (Peer peer : peers) {
                assertArrayEquals(all, peer.readAll());
                peer.close();
            }
        }
        Rig.until("all are gone", () -> rig.stats().connections() == 0);
        Rig.settle(rig.loop());
        shared.release();
        assertFalse(shared.retain(), "somebody has not released it");
        assertTrue(Rig.openDescriptors() < before, "descriptors were left behind");
    }

    /** A ring lends ordinary descriptors to a part of its connections only. */
    @Test
    void moreThanThereAreDescriptorsToLend() throws Exception {
        System.setProperty(Uring.TABLE_SIZE, "64"); // eight of them
        int length = 3 << 20;
        Path file = file(length);
        Listener listener =
                rig.listen(onDemand(connection -> connection.write(opened(file), 0, length)));
        List<Peer> peers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            peers.add(rig.closes(Peer.small(listener.address())).send("x"));
        }
        byte[] all = Rig.pattern(length);
        for (Peer peer : peers.reversed()) {
            assertArrayEquals(all, peer.widen().read(length));
        }
    }

    @Test
    void aFileThatHasShrunkResetsTheConnection() throws Exception {
        Path file = file(100_000);
        Listener listener =
                rig.listen(onDemand(connection -> connection.write(opened(file), 0, 150_000)));
        Peer peer = rig.connect(listener).send("x");
        assertTrue(peer.read(100_000).length <= 100_000);
        assertTrue(peer.over());
        Rig.until("it is gone", () -> rig.stats().connections() == 0);
    }

    @Test
    void whoGoesAwayInTheMiddleReleasesIt() throws Exception {
        OpenFile file = opened(file(30 << 20));
        Listener listener =
                rig.listen(
                        onDemand(
                                connection -> {
                                    file.retain();
                                    connection.write(file, 0, file.size());
                                }));
        Peer peer = rig.closes(Peer.small(listener.address())).send("x");
        peer.read(100_000);
        peer.reset();
        Rig.until("it is gone", () -> rig.stats().connections() == 0);
        Rig.settle(rig.loop());
        file.release();
        assertFalse(file.retain(), "the connection has not released it");
    }

    @Test
    void aLimitOfBandwidthHoldsForFilesToo() throws Exception {
        int length = 300_000;
        Path file = file(length);
        Listener listener =
                rig.listen(
                        connection -> {
                            connection.limitRates(
                                    List.of(), List.of(RateLimiter.perSecond(2_000_000)));
                            return onDemand(c -> c.write(opened(file), 0, length))
                                    .accept(connection);
                        });
        assertArrayEquals(Rig.pattern(length), rig.connect(listener).send("x").read(length));
    }

    @Test
    void anEmptyRegionIsNothing() throws Exception {
        Path file = file(10);
        Listener listener =
                rig.listen(
                        onDemand(
                                connection -> {
                                    connection.write(opened(file), 5, 0);
                                    write(connection, "done");
                                }));
        assertEquals("done", rig.connect(listener).send("x").text(4));
    }
}
