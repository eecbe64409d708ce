// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.sirocco.home.protocol.CipherKey;
import io.sirocco.home.protocol.Request;
import io.sirocco.net.Loops;
import io.sirocco.testkit.FreePort;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients that send requests all the time, also while the controller starts. */
@Timeout(120)
class StartUnderLoadTest {
    @TempDir Path directory;

    /** Before, one start in a few left a controller that never responded to a script. */
    @Test
    void aControllerRespondsToScriptsWhenRequestsComeWhileItStarts() throws Exception {
        start(4, 10);
    }

    @Tag("heavy")
    @Test
    void soItDoesEachTimeOfMany() throws Exception {
        start(40, 50);
    }

    private void start(int times, int requestsPerMillisecond) throws Exception {
        var key = CipherKey.random(new SecureRandom());
        CluRig.write(directory, "function checkAlive() return '1' end", key);
        int port = FreePort.udp();
        byte[] alive = CluRig.seal(key, new Request.Lua(CluRig.LOOPBACK, 1, "checkAlive()"));
        var datagram =
                new DatagramPacket(
                        alive, alive.length, new InetSocketAddress(CluRig.LOOPBACK, port));
        try (var socket = new DatagramSocket(0, CluRig.LOOPBACK);
                Loops loops = Loops.start(settings -> settings.loops(1).name("test"));
                var sender = Executors.newSingleThreadScheduledExecutor()) {
            var load = // and not a flood
                    sender.scheduleWithFixedDelay(
                            () -> send(requestsPerMillisecond, datagram, socket),
                            0,
                            1,
                            TimeUnit.MILLISECONDS);
            for (int i = 0; i < times; i++) {
                try (Clu clu =
                                Clu.start(
                                        settings ->
                                                settings.directory(directory)
                                                        .address(CluRig.LOOPBACK)
                                                        .port(port)
                                                        .tftpPort(0)
                                                        .broadcasts(false));
                        var client = CluClient.open(loops, CluRig.LOOPBACK, clu.address(), key)) {
                    assertEquals("2", responds(client), "start " + i);
                }
            }
            assertFalse(load.isDone(), "it has failed");
            sender.shutdownNow();
        }
    }

    /** The socket may be full of other requests: tries it again. */
    private static String responds(CluClient client) throws Exception {
        String value = "no response";
        for (int i = 0; i < 3 && value.equals("no response"); i++) {
            value =
                    client.execute("1+1")
                            .exceptionally(failure -> "no response")
                            .get(30, TimeUnit.SECONDS);
        }
        return value;
    }

    private static void send(int times, DatagramPacket datagram, DatagramSocket socket) {
        try {
            for (int i = 0; i < times; i++) {
                socket.send(datagram);
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
