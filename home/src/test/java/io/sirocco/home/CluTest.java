// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.home.mqtt.Mosquitto;
import io.sirocco.home.protocol.Bytes;
import io.sirocco.home.protocol.CipherKey;
import io.sirocco.home.protocol.Request;
import io.sirocco.home.protocol.Response;
import io.sirocco.testkit.FreePort;
import io.sirocco.testkit.ManualClock;
import java.io.IOException;
import java.net.BindException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CluTest {
    private static final Response FAILED = new Response.Failed();

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
    void aClientEvaluatesScriptsAndChecksThatItIsAlive() throws Exception {
        try (CluClient client = rig.client()) {
            assertEquals("2", get(client.execute("1+1")));
            assertEquals("a:b:c", get(client.execute("'a:b:c'")));
            assertEquals("nil", get(client.execute("nothing.at.all")));
            assertTrue(get(client.checkAlive(0x0d123456)));
            assertFalse(get(client.checkAlive(7)));
        }
    }

    /** With an umask of 000, others could have replaced {@code mqtt/ca.crt}. */
    @Test
    void onlyTheOwnerMayEnterTheFolders() throws Exception {
        for (String folder : List.of("root/p", "storage", "mqtt")) {
            assertEquals(
                    PosixFilePermissions.fromString("rwx------"),
                    Files.getPosixFilePermissions(directory.resolve(folder)),
                    folder);
        }
    }

    @Test
    void aHundredScriptsAtOnceHaveEachItsOwnValue() throws Exception {
        try (CluClient client = rig.client()) {
            for (int round = 0; round < 10; round++) {
                List<CompletableFuture<String>> values =
                        IntStream.range(100 * round, 100 * round + 100)
                                .mapToObj(i -> client.execute(i + " * 2"))
                                .toList();
                for (int i = 0; i < values.size(); i++) {
                    assertEquals("" + 2 * (100 * round + i), get(values.get(i)));
                }
            }
        }
    }

    @Test
    void aResetLoadsTheScriptsAnew() throws Exception {
        try (CluClient client = rig.client()) {
            get(client.execute("setmetatable(_G, {}) and 1"));
            Files.writeString(
                    directory.resolve("root/a/MAIN.LUA"), "new = 'value'\n" + CluRig.MAIN);
            assertEquals("nil", get(client.execute("new")));
            get(client.reset());
            assertEquals("value", get(client.execute("new")));
        }
    }

    /** Before, such a call had no response, and nothing counted it. */
    @Test
    void oneCallTooManyReturnsNil() throws Exception {
        rig.close();
        var clock = new ManualClock(); // so that nothing interrupts a script
        rig = new CluRig(directory, CluRig.MAIN, s -> s.scripts(each -> each.clock(clock)));
        rig.keepBusy();
        CompletableFuture<String> last = rig.clu.evaluate("1");
        while (!last.isCompletedExceptionally()) {
            last = rig.clu.evaluate("1");
        }
        assertEquals(
                new Response.Lua(CluRig.LOOPBACK, 0x3649, "nil"),
                rig.await("req:127.0.0.1:00003649:1".getBytes(UTF_8)));
        assertEquals(1, rig.clu.refused().busy());
        get(rig.clu.reset());
        assertEquals("1", get(rig.clu.evaluate("1")));
    }

    @Test
    void aPartThatFailsDoesNotKeepOthersFromEnding() {
        var ended = new ArrayList<String>();
        var failure =
                assertThrows(
                        IllegalStateException.class,
                        () ->
                                Clu.closeAll(
                                        () -> ended.add("first"),
                                        () -> {
                                            throw new IllegalStateException("second");
                                        },
                                        () -> {
                                            throw new AssertionError("third");
                                        },
                                        () -> ended.add("last")));
        assertEquals(List.of("first", "last"), ended);
        assertEquals("third", failure.getSuppressed()[0].getMessage());
    }

    /** Before, the file of requests stayed open. */
    @Test
    void aStartThatFailsKeepsNoFileOpen() throws Exception {
        rig.clu.close();
        assertThrows(
                IllegalArgumentException.class,
                () -> rig.start(s -> s.fortified(true).scripts(each -> each.string(0))));
        Path requests = directory.resolve("requests.bin").toRealPath();
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            assertTrue(open.noneMatch(each -> isLink(each, requests)));
        }
    }

    private static boolean isLink(Path descriptor, Path file) {
        try {
            return Files.readSymbolicLink(descriptor).equals(file);
        } catch (IOException e) {
            return false; // closed meanwhile
        }
    }

    @Test
    void withoutMainTheEmergencyScriptRuns() throws Exception {
        try (CluClient client = rig.client()) {
            Files.delete(directory.resolve("root/a/MAIN.LUA"));
            get(client.reset());
            assertEquals("emergency", get(client.execute("checkAlive()")));
            assertFalse(get(client.checkAlive(0x0d123456)));
        }
    }

    /** Section 1.6 of the protocol's description, under the project key. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    req:127.0.0.1:00003649:1                 | value 1
                    req:127.0.0.1:00003649:checkAlive()      | value 0d123456
                    req:127.0.0.1:00003649:return 1          | value nil
                    req:127.0.0.1:00003649:error('x')        | value nil
                    req:127.0.0.1:xyz12345:1                 | silence
                    req:127.0.0.999:00003649:1               | silence
                    req:1.1.1.1:123456:                      | error
                    ''                                       | error
                    no request                               | error
                    req_start_ftp                            | ok
                    req_start_ftp_and_more                   | error
                    req_tftp_stop                            | ok
                    req_stop_ftp                             | ok
                    req_check_alive:127.0.0.1:0000abcd       | alive
                    req_set_clu_ip:0d123456:127.0.0.1:1.1.1.1| ip
                    req_set_clu_ip:0d123456:127.0.0.2:1.1.1.1| error
                    req_set_clu_ip:0d123457:127.0.0.1:1.1.1.1| error
                    req_gen_measurements:127.0.0.1:0000abcd:x| measurements
                    meas_file_download:127.0.0.1:0000abcd:ok | measurements
                    resp:ERROR                               | error
                    """)
    void responses(String request, String expected) throws Exception {
        byte[] bytes = request.getBytes(UTF_8);
        Response response =
                List.of("ok", "measurements").contains(expected) // after TFTP has started
                        ? rig.await(bytes)
                        : CluRig.open(rig.project, rig.exchange(rig.project, bytes));
        switch (expected) {
            case "silence" -> assertNull(response);
            case "error" -> assertEquals(FAILED, response);
            case "ok" -> assertEquals(new Response.Ok(), response);
            case "alive" -> assertEquals(new Response.CheckAlive(0x0d123456), response);
            case "ip" -> assertEquals(new Response.SetIp(0x0d123456, CluRig.LOOPBACK), response);
            case "measurements" ->
                    assertEquals(new Response.Measurements(CluRig.LOOPBACK, 0xabcd), response);
            default ->
                    assertEquals(
                            new Response.Lua(
                                    CluRig.LOOPBACK, 0x3649, expected.substring("value ".length())),
                            response);
        }
    }

    @Test
    void tftpStartsAndStopsAgain() throws Exception {
        var port = FreePort.udpAddress();
        rig.clu.close();
        try (Clu clu = rig.start(settings -> settings.tftpPort(port.getPort()));
                CluClient client = rig.client(clu, rig.project)) {
            for (int round = 0; round < 2; round++) {
                get(client.startTftp());
                assertThrows(BindException.class, () -> new DatagramSocket(port).close());
                get(client.stopTftp());
                new DatagramSocket(port).close(); // the port is free
            }
            get(client.stopTftp()); // nothing to stop
        }
    }

    /** Before, the reset of the page left both: only one of a client ended them. */
    @Test
    void theResetOfThePageEndsTheTemporaryKeyAndTransfersAsThatOfAClient() throws Exception {
        InetSocketAddress port = FreePort.udpAddress();
        rig.clu.close();
        try (Clu clu = rig.start(settings -> settings.tftpPort(port.getPort()));
                CluClient client = rig.client(clu, rig.project)) {
            CluDiscovery.Device device =
                    CluDiscovery.discover(
                                    rig.loops,
                                    CluRig.LOOPBACK,
                                    new InetSocketAddress(
                                            "127.255.255.255", clu.address().getPort()),
                                    rig.project,
                                    Duration.ofSeconds(30),
                                    1)
                            .get(60, TimeUnit.SECONDS)
                            .getFirst();
            CipherKey temporary = device.temporaryKey(CluRig.PIN);
            try (CluClient adopting = rig.client(clu, temporary)) {
                assertTrue(get(adopting.checkAlive(0x0d123456)));
            }
            get(client.startTftp());
            assertThrows(BindException.class, () -> new DatagramSocket(port).close());
            get(clu.reset());
            byte[] alive =
                    CluRig.seal(temporary, new Request.Lua(CluRig.LOOPBACK, 1, "checkAlive()"));
            byte[] last = CluRig.seal(rig.project, new Request.Lua(CluRig.LOOPBACK, 2, "'last'"));
            rig.send(clu.address(), alive);
            rig.send(clu.address(), last);
            var first = new DatagramPacket(new byte[512], 512);
            rig.socket.setSoTimeout(30_000);
            rig.socket.receive(first);
            byte[] bytes = Arrays.copyOf(first.getData(), first.getLength());
            assertEquals(
                    new Response.Lua(CluRig.LOOPBACK, 2, "last"), CluRig.open(rig.project, bytes));
            Mosquitto.await("TFTP has ended", () -> isFree(port));
        }
    }

    private static boolean isFree(InetSocketAddress port) {
        try {
            new DatagramSocket(port).close();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void aDatagramUnderAnotherKeyHasNoResponse() throws Exception {
        CipherKey other = CipherKey.random(new SecureRandom(new byte[] {1}));
        int responses = 0;
        for (int i = 0; i < 20; i++) {
            byte[] request = CluRig.seal(other, new Request.Lua(CluRig.LOOPBACK, i, "1"));
            responses += rig.exchange(rig.clu.address(), request) == null ? 0 : 1;
        }
        assertTrue(responses <= 2, "a wrong key passes the padding once in 256: " + responses);
        assertNull(rig.exchange(rig.clu.address(), "plaintext".getBytes()));
        assertNull(rig.exchange(rig.clu.address(), new byte[0]));
    }

    @Test
    void theRightKeyWithAnotherIvIsAnError() throws Exception {
        var garbled = new CipherKey(rig.project.key(), Bytes.of(new byte[16]));
        byte[] request = CluRig.seal(garbled, new Request.Lua(CluRig.LOOPBACK, 1, "checkAlive()"));
        assertEquals(FAILED, CluRig.open(rig.project, rig.exchange(rig.clu.address(), request)));
    }

    @Test
    void adoption() throws Exception {
        CluDiscovery.Device device = discover(CipherKey.random(new SecureRandom())).getFirst();
        assertEquals(0x0d123456, device.serial());
        assertFalse(device.hasProjectKey(CluRig.PIN));
        CipherKey temporary = device.temporaryKey(CluRig.PIN);
        CipherKey next = CipherKey.random(new SecureRandom());
        try (CluClient client = rig.client(rig.clu, temporary)) {
            assertTrue(get(client.checkAlive(0x0d123456)), "the very next datagram is accepted");
            assertEquals(
                    FAILED,
                    CluRig.open(
                            temporary,
                            rig.exchange(
                                    rig.clu.address(),
                                    CluRig.seal(
                                            temporary,
                                            new Request.Lua(CluRig.LOOPBACK, 1, "1+1")))));
            assertEquals(
                    FAILED,
                    CluRig.open(
                            temporary,
                            rig.exchange(
                                    rig.clu.address(),
                                    CluRig.seal(temporary, new Request.StartTftp()))));
            assertEquals(
                    FAILED,
                    CluRig.open(
                            temporary,
                            rig.exchange(
                                    rig.clu.address(),
                                    CluRig.seal(temporary, new Request.StopTftp()))));
            get(client.setKey(next));
            assertEquals("2", get(client.execute("1+1")), "under the new key");
        }
        assertEquals(next, new KeyFile(directory).open().key(), "and on the disk");
        try (CluClient client = rig.client(rig.clu, next)) {
            assertTrue(discover(next).getFirst().hasProjectKey(CluRig.PIN));
            get(client.reset());
        }
    }

    /** Defect 1 of the reference: it dropped the first request under the temporary key. */
    @Test
    void theTemporaryKeyIsAcceptedAtOnce() throws Exception {
        for (int i = 0; i < 100; i++) {
            CipherKey temporary = discover(rig.project).getFirst().temporaryKey(CluRig.PIN);
            try (CluClient client = rig.client(rig.clu, temporary)) {
                assertTrue(get(client.checkAlive(0x0d123456)), "discovery " + i);
            }
        }
    }

    @Test
    void theOldKeyIsDeadAfterANewOneAndAfterARestart() throws Exception {
        CipherKey next = CipherKey.random(new SecureRandom());
        try (CluClient client = rig.client()) {
            get(client.setKey(next));
        }
        theOldKeyIsDead(rig.clu, next);
        rig.clu.close();
        try (Clu again =
                Clu.start(
                        s -> s.directory(directory).address(CluRig.LOOPBACK).port(0).tftpPort(0))) {
            theOldKeyIsDead(again, next);
        }
    }

    /** The response to a request under the new key would come after those under the old one. */
    private void theOldKeyIsDead(Clu clu, CipherKey next) throws Exception {
        for (int session = 1; session <= 20; session++) {
            var request = new Request.Lua(CluRig.LOOPBACK, session, "'old'");
            rig.send(clu.address(), CluRig.seal(rig.project, request));
            // what follows has a response, after that to the request if that has one
            byte[] probe = CluRig.seal(next, new Request.Lua(CluRig.LOOPBACK, 0x7e57, "'new'"));
            rig.send(clu.address(), probe);
            Response response;
            do { // a wrong key passes the padding once in 256: the response is an error
                byte[] bytes = rig.receive();
                assertFalse(CluRig.open(rig.project, bytes) instanceof Response.Lua);
                response = CluRig.open(next, bytes);
            } while (!(response instanceof Response.Lua));
            assertEquals(new Response.Lua(CluRig.LOOPBACK, 0x7e57, "new"), response);
        }
    }

    @Test
    void aBroadcastRunsNoScriptAndASetIpForAnotherIsIgnored() throws Exception {
        var to = new InetSocketAddress("127.255.255.255", rig.clu.address().getPort());
        rig.socket.setBroadcast(true);
        CipherKey broadcast = CipherKey.BROADCAST;
        assertNull(
                rig.exchange(
                        to, CluRig.seal(rig.project, new Request.Lua(CluRig.LOOPBACK, 1, "1"))));
        assertNull(rig.exchange(to, CluRig.seal(rig.project, new Request.Reset(CluRig.LOOPBACK))));
        var gateway = CluRig.LOOPBACK;
        assertNull(
                rig.exchange(
                        to,
                        CluRig.seal(broadcast, new Request.SetIp(7, CluRig.LOOPBACK, gateway))));
        var another = Inet4Address.ofLiteral("127.0.0.2");
        assertNull(
                rig.exchange(
                        to,
                        CluRig.seal(broadcast, new Request.SetIp(0x0d123456, another, gateway))));
        assertEquals(
                new Response.SetIp(0x0d123456, CluRig.LOOPBACK),
                CluRig.open(
                        broadcast,
                        rig.exchange(
                                to,
                                CluRig.seal(
                                        broadcast,
                                        new Request.SetIp(0x0d123456, CluRig.LOOPBACK, gateway)))));
    }

    private List<CluDiscovery.Device> discover(CipherKey own) throws Exception {
        return CluDiscovery.discover(
                        rig.loops,
                        CluRig.LOOPBACK,
                        new InetSocketAddress("127.255.255.255", rig.clu.address().getPort()),
                        own,
                        Duration.ofSeconds(30),
                        1)
                .get(60, TimeUnit.SECONDS);
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(30, TimeUnit.SECONDS);
    }

    @Test
    void aPinThatEverybodyKnowsIsWarnedOf(@TempDir Path folder) throws Exception {
        try (var known = new CluRig(folder)) {
            assertTrue(
                    known.clu.log().lines().stream()
                            .anyMatch(line -> line.text().contains("the PIN is 00000000")),
                    () -> known.clu.log().lines().toString());
        }
    }
}
