// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.home.protocol.Challenge;
import io.sirocco.home.protocol.CipherKey;
import io.sirocco.home.protocol.Request;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A flood of datagrams to a controller that is open to all; {@link FortifiedTest} has the other.
 */
class FloodTest {
    @TempDir Path directory;
    private CluRig rig;

    @BeforeEach
    void open() throws Exception {
        rig = new CluRig(directory);
    }

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void theControllerOutlivesRandomAndChangedDatagrams() throws Exception {
        try (var flood = new DatagramFlood(rig, false)) {
            flood.run(10_000);
            assertTrue(flood.responses() > 0, "replays have responses");
        }
        isAlive();
    }

    /** More discoveries than have a response in a second, and then one of another host. */
    @Test
    void discoveriesOfAHostKeepNoOtherOut() throws Exception {
        CipherKey own = CipherKey.random(new SecureRandom());
        byte[] discovery =
                CluRig.seal(
                        CipherKey.BROADCAST,
                        new Request.Discovery(
                                Challenge.encrypt(new byte[30], own), own.iv(), CluRig.LOOPBACK));
        var to = new InetSocketAddress("127.255.255.255", rig.clu.address().getPort());
        var packet = new DatagramPacket(discovery, discovery.length, to);
        try (var flood = new DatagramSocket(0, Inet4Address.ofLiteral("127.72.0.9"));
                var other = new DatagramSocket(0, Inet4Address.ofLiteral("127.72.0.10"))) {
            flood.setBroadcast(true);
            other.setBroadcast(true);
            other.setSoTimeout(30_000);
            for (int round = 0; round < 5; round++) {
                for (int burst = 0; burst < 2 * DiscoveryLimit.MAX / 20; burst++) {
                    for (int i = 0; i < 20; i++) {
                        flood.send(packet);
                    }
                    rig.responseBefore("burst " + burst);
                }
                other.send(packet);
                other.receive(new DatagramPacket(new byte[200], 200));
            }
        }
    }

    /** The scripts do not boot: resets begin anew, and all of them wait. */
    @Test
    void resetsThatWaitAreBoundedAndTheLastHasAResponse() throws Exception {
        Path main = directory.resolve("root/a/MAIN.LUA");
        Files.writeString(main, "while true do end");
        var responses = new AtomicInteger();
        Thread reader;
        try (var flood = new DatagramSocket(0, CluRig.LOOPBACK);
                CluClient client = rig.client()) {
            reader = Thread.ofPlatform().start(() -> count(flood, responses));
            byte[] bytes = CluRig.seal(rig.project, new Request.Reset(CluRig.LOOPBACK));
            var reset = new DatagramPacket(bytes, bytes.length, rig.clu.address());
            for (int burst = 0; burst < 60; burst++) {
                for (int i = 0; i < 40; i++) {
                    flood.send(reset);
                }
                rig.responseBefore("burst " + burst);
            }
            Files.writeString(main, CluRig.MAIN);
            client.reset().get(30, TimeUnit.SECONDS);
            assertTrue(client.checkAlive(0x0d123456).get(30, TimeUnit.SECONDS));
        }
        reader.join();
        assertTrue(responses.get() < 1_000, () -> responses + " resets have waited");
    }

    private static void count(DatagramSocket socket, AtomicInteger received) {
        var packet = new DatagramPacket(new byte[100], 100);
        while (true) {
            try {
                socket.receive(packet);
                received.incrementAndGet();
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    @Test
    @Tag("heavy")
    void tenMillionDatagramsLeaveNoMemoryAndNoThreads() throws Exception {
        try (var flood = new DatagramFlood(rig, false)) {
            flood.run(100_000);
            isAlive();
            long before = DatagramFlood.liveHeap();
            Map<String, Long> threads = DatagramFlood.threads();
            for (int million = 1; million <= 10; million++) {
                flood.run(1_000_000);
                System.out.printf(
                        "open: %d million, heap %,d%n", million, DatagramFlood.liveHeap());
            }
            isAlive();
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            while (!threads.equals(DatagramFlood.threads()) && System.nanoTime() < end) {
                LockSupport.parkNanos(1_000_000); // transfers linger
            }
            assertEquals(threads, DatagramFlood.threads());
            long after = DatagramFlood.liveHeap();
            System.out.printf(
                    "open: %,d responses; heap %,d before, %,d after%n",
                    flood.responses(), before, after);
            assertTrue(after - before < 4 << 20, "the heap has grown by " + (after - before));
        }
    }

    private void isAlive() throws Exception {
        try (CluClient client = rig.client()) {
            client.reset().get(30, TimeUnit.SECONDS);
            assertTrue(client.checkAlive(0x0d123456).get(30, TimeUnit.SECONDS));
            client.startTftp().get(30, TimeUnit.SECONDS);
            client.stopTftp().get(30, TimeUnit.SECONDS);
        }
        assertEquals(rig.project, new KeyFile(directory).open().key());
    }
}
