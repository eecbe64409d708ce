// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.home.protocol.Request;
import io.sirocco.home.tftp.Mode;
import io.sirocco.home.tftp.TftpClient;
import io.sirocco.home.tftp.TftpSettings;
import io.sirocco.net.Loops;
import io.sirocco.testkit.FreePort;
import java.net.BindException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Many requests to start and stop TFTP: only the last state counts. */
class FileTransfersTest {
    @TempDir Path directory;

    /** Before, it waited for as long as it took. */
    @Test
    @Timeout(60)
    void itEndsWhileARequestIsStuck() throws Exception {
        var stuck = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        try (Loops loops = Loops.start(settings -> settings.loops(1).name("test"))) {
            var transfers =
                    new FileTransfers(
                            loops,
                            CluRig.LOOPBACK,
                            0,
                            directory,
                            TftpSettings.DEFAULTS,
                            (level, line) -> {});
            transfers.admit(
                    CluRig.LOOPBACK,
                    running -> {
                        stuck.countDown();
                        uninterrupted(goOn);
                    });
            stuck.await();
            transfers.end(Duration.ofMillis(100)); // returns all the same
            assertEquals(1, goOn.getCount());
        } finally {
            goOn.countDown();
        }
    }

    @Test
    void requestsThatWaitAreBoundedAndTheLastOnesHaveResponses() throws Exception {
        InetSocketAddress port = FreePort.udpAddress();
        var responses = new AtomicInteger();
        var started = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        try (Loops loops = Loops.start(settings -> settings.loops(1).name("test"))) {
            var transfers =
                    new FileTransfers(
                            loops,
                            CluRig.LOOPBACK,
                            port.getPort(),
                            directory,
                            TftpSettings.DEFAULTS,
                            (level, line) -> {});
            transfers.admit(
                    CluRig.LOOPBACK,
                    running -> {
                        started.countDown();
                        uninterrupted(goOn);
                    });
            started.await();
            for (int i = 0; i < 50_000; i++) {
                transfers.close(responses::incrementAndGet);
                transfers.admit(CluRig.LOOPBACK, running -> responses.incrementAndGet());
            }
            var last = new CompletableFuture<Boolean>();
            transfers.admit(CluRig.LOOPBACK, last::complete);
            goOn.countDown();
            assertTrue(last.get(30, TimeUnit.SECONDS), "it runs");
            assertThrows(BindException.class, () -> new DatagramSocket(port).close());
            assertTrue(responses.get() < 1_000, () -> responses + " have waited");
            var stopped = new CompletableFuture<Void>();
            transfers.close(() -> stopped.complete(null));
            stopped.get(30, TimeUnit.SECONDS);
            new DatagramSocket(port).close(); // the port is free
            transfers.admit(CluRig.LOOPBACK, running -> responses.incrementAndGet());
            transfers.end();
            new DatagramSocket(port).close();
        }
    }

    private static void uninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aResetHasAResponseWhileManyRequestsForTftpWait() throws Exception {
        InetSocketAddress port = FreePort.udpAddress();
        try (var rig =
                        new CluRig(
                                directory,
                                CluRig.MAIN,
                                settings -> settings.tftpPort(port.getPort()));
                CluClient client = rig.client();
                var flood = new DatagramSocket(0, CluRig.LOOPBACK)) {
            DatagramPacket start = packet(rig, new Request.StartTftp());
            DatagramPacket stop = packet(rig, new Request.StopTftp());
            for (int burst = 0; burst < 100; burst++) {
                for (int i = 0; i < 20; i++) { // so that the socket's buffer takes all
                    flood.send(start);
                    flood.send(stop);
                }
                rig.responseBefore("burst " + burst);
            }
            client.reset().get(30, TimeUnit.SECONDS);
            assertEquals("2", client.execute("1+1").get(30, TimeUnit.SECONDS));
            client.startTftp().get(30, TimeUnit.SECONDS);
            byte[] main =
                    new TftpClient(rig.loops, CluRig.LOOPBACK, TftpSettings.DEFAULTS)
                            .read(port, "a:\\MAIN.LUA", Mode.OCTET)
                            .get(30, TimeUnit.SECONDS);
            assertArrayEquals(Files.readAllBytes(directory.resolve("root/a/MAIN.LUA")), main);
        }
    }

    @Test
    void theOwnerReadsWhyNoFilesAreServed() throws Exception {
        try (var taken = new DatagramSocket(0, CluRig.LOOPBACK);
                var rig =
                        new CluRig(
                                directory,
                                CluRig.MAIN,
                                settings -> settings.tftpPort(taken.getLocalPort()));
                CluClient client = rig.client()) {
            CompletableFuture<Void> refused = client.startTftp();
            assertThrows(ExecutionException.class, () -> refused.get(30, TimeUnit.SECONDS));
            String start = "TFTP cannot start at port " + taken.getLocalPort() + ": ";
            assertTrue(
                    rig.clu.log().lines().stream().anyMatch(line -> line.text().startsWith(start)));
        }
    }

    private static DatagramPacket packet(CluRig rig, Request request) {
        byte[] bytes = CluRig.seal(rig.project, request);
        return new DatagramPacket(bytes, bytes.length, rig.clu.address());
    }
}
