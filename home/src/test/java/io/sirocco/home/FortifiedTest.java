// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.home.lua.ScriptLog;
import io.sirocco.home.mqtt.CapturedLog;
import io.sirocco.home.protocol.Bytes;
import io.sirocco.home.protocol.Challenge;
import io.sirocco.home.protocol.CipherKey;
import io.sirocco.home.protocol.Request;
import io.sirocco.home.protocol.Response;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FortifiedTest {
    @TempDir Path directory;
    private CluRig rig;

    @BeforeEach
    void open() throws Exception {
        rig =
                new CluRig(
                        directory,
                        CluRig.MAIN,
                        settings -> settings.fortified(true).fortifiedTftp(true));
    }

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void aClientWithTheProjectKeyIsServed() throws Exception {
        try (CluClient client = rig.client()) {
            assertTrue(client.checkAlive(0x0d123456).get(30, TimeUnit.SECONDS));
            client.reset().get(30, TimeUnit.SECONDS);
            assertEquals("2", client.execute("1+1").get(30, TimeUnit.SECONDS));
        }
    }

    @Test
    void aDiscoveryHasNoResponseAndArmsNoTemporaryKey() throws Exception {
        var to = new InetSocketAddress("127.255.255.255", rig.clu.address().getPort());
        rig.socket.setBroadcast(true);
        CipherKey own = CipherKey.random(new SecureRandom());
        var discovery =
                new Request.Discovery(
                        Challenge.encrypt(new byte[30], own), own.iv(), CluRig.LOOPBACK);
        assertNull(rig.exchange(to, CluRig.seal(CipherKey.BROADCAST, discovery)));
        CipherKey temporary = CipherKey.initial(CluRig.PIN, Bytes.of(new byte[16]));
        assertNull(
                rig.exchange(
                        rig.clu.address(),
                        CluRig.seal(
                                temporary, new Request.Lua(CluRig.LOOPBACK, 1, "checkAlive()"))));
    }

    /** Adopted while it is fortified already: the keys of the adoption are dead behind it. */
    @Test
    void afterItsAdoptionNeitherTheTemporaryKeyNorADiscoveryWorks() throws Exception {
        int port = rig.clu.address().getPort();
        rig.clu.close();
        new KeyFile(directory).write(new KeyFile.Content(rig.project, CluRig.PIN, false));
        try (Clu clu = rig.start(settings -> settings.port(port).fortified(true))) {
            var to = new InetSocketAddress("127.255.255.255", port);
            CluDiscovery.Device found =
                    CluDiscovery.discover(
                                    rig.loops,
                                    CluRig.LOOPBACK,
                                    to,
                                    rig.project,
                                    Duration.ofSeconds(30),
                                    1)
                            .get(60, TimeUnit.SECONDS)
                            .getFirst();
            CipherKey temporary = found.temporaryKey(CluRig.PIN);
            byte[] alive =
                    CluRig.seal(temporary, new Request.Lua(CluRig.LOOPBACK, 1, "checkAlive()"));
            assertNotNull(CluRig.open(temporary, rig.exchange(clu.address(), alive)));
            try (CluClient client = rig.client(clu, temporary)) {
                client.setKey(rig.project).get(30, TimeUnit.SECONDS);
            }
            rig.socket.setBroadcast(true);
            CipherKey own = CipherKey.random(new SecureRandom());
            var discovery =
                    new Request.Discovery(
                            Challenge.encrypt(new byte[30], own), own.iv(), CluRig.LOOPBACK);
            for (int i = 0; i < 3; i++) {
                assertNull(rig.exchange(to, CluRig.seal(CipherKey.BROADCAST, discovery)));
                assertNull(rig.exchange(clu.address(), alive));
            }
        }
    }

    @Test
    void aRecordedRequestHasNoEffectAndNoResponseWhenItIsSentAgain() throws Exception {
        byte[] request = CluRig.seal(rig.project, new Request.Lua(CluRig.LOOPBACK, 1, "'value'"));
        assertNotNull(rig.exchange(rig.clu.address(), request));
        for (int i = 0; i < 3; i++) {
            assertNull(rig.exchange(rig.clu.address(), request));
        }
    }

    @Test
    void aRecordedRequestHasNoEffectAfterARestart() throws Exception {
        byte[] script = CluRig.seal(rig.project, new Request.Lua(CluRig.LOOPBACK, 1, "'value'"));
        byte[] alive = CluRig.seal(rig.project, new Request.CheckAlive(CluRig.LOOPBACK, 2));
        byte[] tftp = CluRig.seal(rig.project, new Request.StartTftp());
        assertNotNull(rig.exchange(rig.clu.address(), script));
        assertNotNull(rig.exchange(rig.clu.address(), alive));
        rig.send(rig.clu.address(), tftp);
        assertEquals(new Response.Ok(), CluRig.open(rig.project, rig.receive()));
        int port = rig.clu.address().getPort();
        rig.clu.close();
        try (Clu clu = startAgain(port)) {
            for (byte[] request : List.of(script, alive, tftp)) {
                rig.send(clu.address(), request);
            }
            assertNull(rig.responseBefore("the last"));
            assertEquals(3, clu.refused().copies());
        }
    }

    private Clu startAgain(int port) throws Exception {
        return Clu.start(
                settings ->
                        settings.directory(directory)
                                .address(CluRig.LOOPBACK)
                                .port(port)
                                .tftpPort(0)
                                .fortified(true)
                                .fortifiedTftp(true));
    }

    @Tag("peers")
    @Test
    void aRecordedRequestHasNoEffectAfterTheProcessWasKilled() throws Exception {
        rig.clu.close();
        byte[] request = CluRig.seal(rig.project, new Request.Lua(CluRig.LOOPBACK, 1, "'value'"));
        try (var process = new CluProcess(directory, true, 256)) {
            assertNotNull(CluRig.open(rig.project, respond(process.address(), request)));
            process.kill();
        }
        try (var process = new CluProcess(directory, true, 256)) {
            rig.send(process.address(), request);
            byte[] next = CluRig.seal(rig.project, new Request.Lua(CluRig.LOOPBACK, 2, "'next'"));
            var response =
                    (Response.Lua) CluRig.open(rig.project, respond(process.address(), next));
            assertEquals(2, response.session(), "no response before");
        }
    }

    private byte[] respond(InetSocketAddress to, byte[] request) throws Exception {
        rig.send(to, request);
        return rig.receive();
    }

    /** Requests are remembered while it runs, and the log says what does not work. */
    @Test
    void theControllerStartsWithoutItsFileOfRequests() throws Exception {
        int port = rig.clu.address().getPort();
        rig.clu.close();
        Path file = directory.resolve("requests.bin");
        Files.delete(file);
        Files.createDirectory(file);
        byte[] request = CluRig.seal(rig.project, new Request.Lua(CluRig.LOOPBACK, 1, "'value'"));
        try (var log = new CapturedLog();
                Clu clu = startAgain(port)) {
            assertNotNull(rig.exchange(clu.address(), request));
            assertNull(rig.exchange(clu.address(), request));
            assertEquals(1, log.containing("requests.bin cannot be opened").size());
        }
    }

    @Test
    void theOwnerSeesHowManyRequestsAreRefused() throws Exception {
        byte[] request = CluRig.seal(rig.project, new Request.Lua(CluRig.LOOPBACK, 1, "'value'"));
        assertNotNull(rig.exchange(rig.clu.address(), request));
        for (int i = 0; i < 20; i++) {
            assertNull(rig.exchange(rig.clu.address(), request));
        }
        assertNull(rig.exchange(rig.clu.address(), new byte[15]));
        assertNull(rig.exchange(rig.clu.address(), CluRig.seal(rig.project, new byte[3])));
        assertNull(
                rig.exchange(
                        rig.clu.address(),
                        CluRig.seal(rig.project, new Request.Lua(CluRig.LOOPBACK, 2, "'\u0001'"))));
        assertEquals(new RefusedRequests(1, 1, 20, 1, 0), rig.clu.refused());
        List<String> lines =
                rig.clu.log().lines().stream()
                        .map(ScriptLog.Line::text)
                        .filter(line -> line.startsWith("refused requests"))
                        .toList();
        assertEquals(1, lines.size(), "one line a minute");
        assertTrue(lines.getFirst().contains("1 copies"), lines::toString);
        assertTrue(lines.getFirst().contains("127.0.0.1"), lines::toString);
    }

    /**
     * Of the requests that are joined of recorded ones, about 1 in 300,000 decrypts to text. All
     * begin with the session of a recorded request, so after three attempts sessions of the past
     * are refused, whatever the text. Here the attacker is lucky at once: the text is genuine.
     */
    @Test
    void afterAttemptsToJoinRequestsASessionIsGoodForOneRequest() throws Exception {
        var luck = new Request.Lua(CluRig.LOOPBACK, 7, "'by luck'");
        for (int i = 0; i < 3; i++) {
            var recorded = new Request.Lua(CluRig.LOOPBACK, 7, "'recorded " + i + "'");
            assertNotNull(rig.exchange(rig.clu.address(), CluRig.seal(rig.project, recorded)));
            byte[] joined =
                    CluRig.seal(
                            rig.project,
                            new Request.Lua(CluRig.LOOPBACK, 7, "'\u0001\u0002\u0003 " + i + "'"));
            assertNull(rig.exchange(rig.clu.address(), joined));
        }
        assertNull(rig.exchange(rig.clu.address(), CluRig.seal(rig.project, luck)));
        try (CluClient client = rig.client()) {
            for (int i = 0; i < 100; i++) {
                assertEquals(
                        "2", client.execute("1+1").get(30, TimeUnit.SECONDS), "not locked out");
            }
        }
    }

    /** Object Manager starts TFTP before each file, and resets after each upload. */
    @Test
    void aRequestWithoutASessionMayBeRepeatedByTheHostOfANewOne() throws Exception {
        try (CluClient client = rig.client()) {
            client.execute("1").get(30, TimeUnit.SECONDS);
            for (int i = 0; i < 3; i++) {
                client.startTftp().get(30, TimeUnit.SECONDS);
                client.stopTftp().get(30, TimeUnit.SECONDS);
                client.reset().get(30, TimeUnit.SECONDS);
            }
        }
    }

    /** TFTP has no keys: a stranger who forges an address could replace the scripts. */
    @Test
    void itServesNoFilesUnlessItIsToldTo() throws Exception {
        int port = rig.clu.address().getPort();
        rig.clu.close();
        try (Clu clu = rig.start(settings -> settings.port(port).fortified(true))) {
            assertNull(
                    rig.exchange(clu.address(), CluRig.seal(rig.project, new Request.StartTftp())));
            byte[] measurements =
                    CluRig.seal(rig.project, new Request.Measurements(CluRig.LOOPBACK, 7, "text"));
            assertNull(rig.exchange(clu.address(), measurements));
            assertEquals(2, clu.refused().notAllowed());
        }
    }

    @Test
    void aRecordedRequestWithoutASessionHasNoEffectFromAnotherHost() throws Exception {
        byte[] request =
                CluRig.seal(
                        rig.project,
                        new Request.SetIp(0x0d123456, CluRig.LOOPBACK, CluRig.LOOPBACK));
        assertNotNull(rig.exchange(rig.clu.address(), request));
        assertNotNull(rig.exchange(rig.clu.address(), request), "from the same host");
        try (var other = new DatagramSocket(0, Inet4Address.ofLiteral("127.72.0.8"))) {
            other.send(new DatagramPacket(request, request.length, rig.clu.address()));
            assertNull(rig.responseBefore("the last"));
            byte[] end = {1, 2, 3};
            rig.socket.send(new DatagramPacket(end, end.length, other.getLocalSocketAddress()));
            var received = new DatagramPacket(new byte[100], 100);
            other.receive(received);
            assertEquals(end.length, received.getLength(), "no response before");
        }
    }

    /**
     * The blocks of one recorded request and then of another decrypt to the text of both, with 16
     * random bytes between. It would count as a new request of the attacker's host, which may then
     * send recorded requests without a session, such as that to start TFTP.
     */
    @Test
    void aRequestJoinedOfTwoRecordedOnesHasNoEffectAndNoResponse() throws Exception {
        CipherKey next = CipherKey.random(new SecureRandom());
        byte[] measurements =
                CluRig.seal(rig.project, new Request.Measurements(CluRig.LOOPBACK, 1, "x"));
        byte[] key = CluRig.seal(rig.project, new Request.SetKey(Bytes.of(new byte[32]), next));
        for (int from = 0; from < key.length; from += 16) {
            byte[] joined = Arrays.copyOf(measurements, measurements.length + key.length - from);
            System.arraycopy(key, from, joined, measurements.length, key.length - from);
            assertNull(rig.exchange(rig.clu.address(), joined), "from " + from);
        }
        Response stopped = rig.await("req_stop_ftp".getBytes(UTF_8));
        assertEquals(new Response.Ok(), stopped, "no response of TFTP before");
    }

    /** The response to a wrong padding and to a wrong text is the same: none. */
    @Test
    void thereIsNoPaddingOracle() throws Exception {
        byte[] request =
                CluRig.seal(rig.project, new Request.Lua(CluRig.LOOPBACK, 1, "checkAlive()"));
        for (int last = 0; last < 256; last++) {
            byte[] changed = request.clone();
            changed[changed.length - 17] ^= (byte) last; // changes the last byte of the padding
            byte[] response = last == 0 ? null : rig.exchange(rig.clu.address(), changed);
            assertNull(CluRig.open(rig.project, response), "changed by " + last);
        }
    }

    @Test
    void randomAndChangedDatagramsHaveNoResponse() throws Exception {
        try (var flood = new DatagramFlood(rig, true)) {
            flood.run(10_000);
            assertEquals(0, flood.responses());
        }
    }

    @Test
    @Tag("heavy")
    void tenMillionDatagramsHaveNoResponseAndLeaveNoMemory() throws Exception {
        try (var flood = new DatagramFlood(rig, true)) {
            flood.run(100_000);
            long before = DatagramFlood.liveHeap();
            flood.run(10_000_000);
            long after = DatagramFlood.liveHeap();
            System.out.printf("fortified: heap %,d before, %,d after%n", before, after);
            assertEquals(0, flood.responses());
            assertTrue(after - before < 1 << 20, "the heap has grown by " + (after - before));
        }
        try (CluClient client = rig.client()) {
            assertTrue(client.checkAlive(0x0d123456).get(30, TimeUnit.SECONDS));
        }
    }

    /**
     * Nothing in the request proves its IV, so it can be changed on the way: one in 256 datagrams
     * with a change at the first byte of its third block would set a key that nobody knows.
     */
    @Test
    void aNewKeyIsRefusedChangedOrNot() throws Exception {
        CipherKey next = CipherKey.random(new SecureRandom());
        var dummy = new Request.SetKey(Bytes.of(new byte[32]), next);
        assertNull(rig.exchange(rig.clu.address(), CluRig.seal(rig.project, dummy)));
        for (int seed = 0; seed < 8; seed++) {
            Bytes challenge = Challenge.encrypt(Challenge.random(new Random(seed)), next);
            byte[] request = CluRig.seal(rig.project, new Request.SetKey(challenge, next));
            for (int change = 0; change < 256; change++) {
                byte[] changed = request.clone();
                changed[32] ^= (byte) change;
                assertNull(rig.exchange(rig.clu.address(), changed), "changed by " + change);
            }
        }
        assertEquals(rig.project, new KeyFile(directory).open().key());
    }
}
