// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.home.protocol.CluCipher;
import io.sirocco.home.protocol.Request;
import io.sirocco.home.protocol.RequestParser;
import io.sirocco.home.protocol.Response;
import io.sirocco.testkit.FreePort;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two controllers of one project, whose scripts call each other. */
class TwoControllersTest {
    private static final Inet4Address FIRST = Inet4Address.ofLiteral("127.72.1.1");
    private static final Inet4Address SECOND = Inet4Address.ofLiteral("127.72.1.2");
    private static final String FIRST_MAIN =
            """
            CLU2 = OBJECT:new(1, 0x7f480102, "CLU2")
            deepest = 0
            function ping(n) deepest = n return CLU2:execute(0, "pong(" .. n + 1 .. ")") end
            """
                    + CluRig.MAIN;
    private static final String SECOND_MAIN =
            """
            CLU1 = OBJECT:new(1, 0x7f480101, "CLU1")
            x = 41
            name = "kitchen: 20 °C"
            list = {10, 20.5, "thirty"}
            map = {on = true, lamp = {level = 0.5, tags = {"a", "b"}}}
            function pong(n) return CLU1:execute(0, "ping(" .. n + 1 .. ")") end
            function getVar(name) return _G[name] end
            function setVar(name, value) _G[name] = value end
            """
                    + CluRig.MAIN;

    @TempDir Path directory;
    private final int port = FreePort.udp();
    private CluRig rig; // of the first
    private Clu second;
    private CluClient client; // of the first

    @BeforeEach
    void open() throws Exception {
        open(RemoteClu.TIMEOUT);
    }

    private void open(Duration timeout) throws Exception {
        rig =
                new CluRig(
                        directory.resolve("first"),
                        FIRST_MAIN,
                        settings -> {
                            configure(settings, FIRST);
                            settings.remoteTimeout = timeout;
                        });
        Path folder = directory.resolve("second");
        CluRig.write(folder, SECOND_MAIN, rig.project);
        second =
                rig.start(
                        settings -> {
                            configure(settings, SECOND);
                            settings.directory(folder);
                        });
        client = rig.client();
    }

    private void configure(CluSettings settings, Inet4Address address) {
        settings.address(address).port(port).remotePort(port).broadcasts(false);
    }

    @AfterEach
    void close() {
        client.close();
        second.close();
        rig.close();
    }

    private String execute(String script) throws Exception {
        return client.execute(script).get(30, TimeUnit.SECONDS);
    }

    @Test
    void numbersStringsAndBooleans() throws Exception {
        assertEquals("41", execute("CLU2:execute(0, \"getVar('x')\")"));
        assertEquals("42", execute("CLU2:execute(0, \"getVar('x')\") + 1"));
        assertEquals("kitchen: 20 °C!", execute("CLU2:execute(0, \"getVar('name')\") .. '!'"));
        assertEquals("true", execute("CLU2:execute(0, 'map.on') == true"));
        assertEquals("nil", execute("CLU2:execute(0, \"getVar('y')\")"));
        assertEquals("nil", execute("CLU2:execute(0, 'nothing.at.all')"));
        assertEquals("nil", execute("CLU2:execute(0, \"setVar('x', 7)\")"));
        assertEquals("7", execute("CLU2:execute(0, 'x')"));
        assertEquals("0d123456", execute("CLU2:execute(0, 'checkAlive()')"));
    }

    /** Limit of the reference: tables came back only with keys that are strings. */
    @Test
    void tablesComeBackArraysFrom1() throws Exception {
        assertEquals("3", execute("#CLU2:execute(0, 'list')"));
        assertEquals("10", execute("CLU2:execute(0, 'list')[1]"));
        assertEquals("41", execute("CLU2:execute(0, 'list')[2] * 2"));
        assertEquals("thirty", execute("CLU2:execute(0, 'list')[3]"));
        assertEquals("nil", execute("CLU2:execute(0, 'list')[0]"));
        assertEquals("0.5", execute("CLU2:execute(0, 'map').lamp.level"));
        assertEquals("b", execute("CLU2:execute(0, 'map').lamp.tags[2]"));
        assertEquals("true", execute("CLU2:execute(0, 'map').on == true"));
        assertEquals("nil", execute("next(CLU2:execute(0, '{}'))"));
    }

    @Test
    void eachCallsTheOtherWithinOneScript() throws Exception {
        assertEquals("4", execute("CLU2:execute(0, \"CLU1:execute(0, '1+2') + 1\")"));
    }

    /** Of the eight tasks that may wait on each, four are left for others. */
    @Test
    void aChainOfCallsWithoutAnEndIsCut() throws Exception {
        assertEquals("nil", execute("ping(1)"));
        assertEquals("11", execute("deepest"));
        assertEquals("nil", execute("ping(1)"));
        assertEquals("41", execute("CLU2:execute(0, 'x')"));
    }

    @Test
    void nilAfterTheOtherHasGone() throws Exception {
        close();
        open(Duration.ofMillis(300));
        assertEquals("41", execute("CLU2:execute(0, 'x')"));
        second.close();
        assertEquals("nil", execute("CLU2:execute(0, 'x')"));
        assertTrue(
                rig.clu.log().lines().stream()
                        .anyMatch(
                                line ->
                                        line.text()
                                                .startsWith("CLU2: no response from 127.72.1.2")));
        second =
                rig.start(
                        settings -> {
                            configure(settings, SECOND);
                            settings.directory(directory.resolve("second"));
                        });
        assertEquals("41", execute("CLU2:execute(0, 'x')"), "it is back");
    }

    @Test
    void othersAreServedWhileAScriptWaits() throws Exception {
        second.close();
        try (var silent = new DatagramSocket(new InetSocketAddress(SECOND, port));
                CluClient other = rig.client()) {
            CompletableFuture<String> value = client.execute("CLU2:execute(0, 'x') * 2");
            var packet = new DatagramPacket(new byte[2_048], 2_048);
            silent.setSoTimeout(30_000);
            silent.receive(packet);
            for (int i = 0; i < 100; i++) {
                assertTrue(other.checkAlive(0x0d123456).get(30, TimeUnit.SECONDS));
            }
            assertFalse(value.isDone(), "it still waits");
            respond(silent, packet, "21");
            assertEquals("42", value.get(30, TimeUnit.SECONDS));
        }
    }

    /** Responds to a request for a script as the other controller would. */
    private void respond(DatagramSocket socket, DatagramPacket packet, String value)
            throws Exception {
        var cipher = new CluCipher(rig.project);
        byte[] plain = new byte[packet.getLength()];
        int length = cipher.decrypt(packet.getData(), 0, packet.getLength(), plain);
        var request = (Request.Lua) RequestParser.parse(plain, length);
        assertEquals("x", request.script());
        byte[] sealed =
                CluRig.seal(rig.project, new Response.Lua(SECOND, request.session(), value));
        socket.send(new DatagramPacket(sealed, sealed.length, packet.getSocketAddress()));
    }
}
