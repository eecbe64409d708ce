// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.home.protocol.Bytes;
import io.sirocco.home.protocol.Challenge;
import io.sirocco.home.protocol.CipherKey;
import io.sirocco.home.protocol.Request;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FortifiedTest {
    private static final int AT_A_TIME = 40; // so that the socket's buffer takes all

    @TempDir Path directory;
    private CluRig rig;

    @BeforeEach
    void open() throws Exception {
        rig = new CluRig(directory, CluRig.MAIN, settings -> settings.fortified(true));
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
            assertNull(rig.answerBefore("the last"));
            byte[] end = {1, 2, 3};
            rig.socket.send(new DatagramPacket(end, end.length, other.getLocalSocketAddress()));
            var received = new DatagramPacket(new byte[100], 100);
            other.receive(received);
            assertEquals(end.length, received.getLength(), "no response before");
        }
    }

    /** The answer to a wrong padding and to a wrong text is the same: none. */
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
        attack(100_000);
    }

    @Test
    @Tag("heavy")
    void tenMillionDatagramsHaveNoResponseAndLeaveNoMemory() throws Exception {
        attack(100_000);
        long before = liveHeap();
        attack(10_000_000);
        long grown = liveHeap() - before;
        assertTrue(grown < 1 << 20, "the heap has grown by " + grown);
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

    private void attack(int datagrams) throws Exception {
        var random = new Random(5);
        CipherKey next = CipherKey.random(random);
        byte[][] seeds = {
            CluRig.seal(rig.project, new Request.Lua(CluRig.LOOPBACK, 1, "checkAlive()")),
            CluRig.seal(rig.project, new Request.Reset(CluRig.LOOPBACK)),
            CluRig.seal(rig.project, new Request.StartTftp()),
            CluRig.seal(
                    rig.project, new Request.SetIp(0x0d123456, CluRig.LOOPBACK, CluRig.LOOPBACK)),
            CluRig.seal(
                    rig.project,
                    new Request.SetKey(Challenge.encrypt(Challenge.random(random), next), next)),
            CluRig.seal(CipherKey.BROADCAST, new Request.Reset(CluRig.LOOPBACK)),
        };
        for (int sent = 0; sent < datagrams; sent += AT_A_TIME) {
            for (int i = 0; i < AT_A_TIME; i++) {
                rig.send(rig.clu.address(), datagram(random, seeds));
            }
            assertNull(rig.answerBefore("round " + sent), "of the datagrams before " + sent);
        }
    }

    private static byte[] datagram(Random random, byte[][] seeds) {
        byte[] bytes;
        if (random.nextInt(4) == 0) {
            bytes =
                    new byte
                            [random.nextInt(8) == 0
                                    ? random.nextInt(4096)
                                    : 16 * random.nextInt(12)];
            random.nextBytes(bytes);
            return bytes;
        }
        bytes = seeds[random.nextInt(seeds.length)].clone();
        int changes = 1 + random.nextInt(3);
        int at = random.nextInt(bytes.length); // each elsewhere, so that none undoes another
        for (int i = 0; i < changes; i++) {
            bytes[(at + 5 * i) % bytes.length] ^= (byte) (1 + random.nextInt(255));
        }
        return bytes;
    }

    private static long liveHeap() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
