// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.home.protocol.CipherKey;
import io.sirocco.home.protocol.Request;
import io.sirocco.net.Loops;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients that send requests all the time, also while the controller starts. */
@Timeout(120)
class StartUnderLoadTest {
    private static final int STARTS = 40;

    @TempDir Path directory;

    /** Before, one start in a few left a controller that never responded to a script. */
    @Test
    void aControllerRespondsToScriptsWhenRequestsComeWhileItStarts() throws Exception {
        var key = CipherKey.random(new SecureRandom());
        CluRig.write(directory, "function checkAlive() return '1' end", key);
        var stop = new AtomicBoolean();
        int port;
        try (var free = new DatagramSocket(0, CluRig.LOOPBACK)) {
            port = free.getLocalPort();
        }
        byte[] alive = CluRig.seal(key, new Request.Lua(CluRig.LOOPBACK, 1, "checkAlive()"));
        Thread sender = Thread.ofPlatform().start(() -> send(alive, port, stop));
        try (Loops loops = Loops.start(settings -> settings.loops(1).name("test"))) {
            for (int i = 0; i < STARTS; i++) {
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
        } finally {
            stop.set(true);
            sender.join();
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

    private static void send(byte[] datagram, int port, AtomicBoolean stop) {
        var to = new InetSocketAddress(CluRig.LOOPBACK, port);
        try (var socket = new DatagramSocket(0, CluRig.LOOPBACK)) {
            while (!stop.get()) {
                for (int i = 0; i < 50; i++) {
                    socket.send(new DatagramPacket(datagram, datagram.length, to));
                }
                Thread.sleep(1); // a load, not a flood
            }
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
