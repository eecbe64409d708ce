// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import io.sirocco.home.protocol.Challenge;
import io.sirocco.home.protocol.CipherKey;
import io.sirocco.home.protocol.CluCipher;
import io.sirocco.home.protocol.Request;
import io.sirocco.home.protocol.RequestParser;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Datagrams of an attacker who has no key, but has recorded requests of each kind: random ones, and
 * recorded ones that are changed, cut off, extended, joined or sent again; from several sockets of
 * another host, to the controller's own address and as broadcasts, up to the longest there are.
 * Some are under the project key, since wrong sessions and addresses get no further otherwise.
 */
final class DatagramFlood implements AutoCloseable {
    private static final int AT_A_TIME = 80; // so that the socket's buffer takes all
    private static final int MAX = 65_507;
    private static final int RECORDED_AGAIN = 30_000; // rounds; a replay is recognised for 65,536
    private static final int FIRST_WITHOUT_SESSION = 7; // of those that are recorded
    private static final int SET_KEY = 11;
    private static final String[] MALFORMED = {
        "",
        "req:",
        "req:127.0.0.1:",
        "req:127.0.0.1:xyz:checkAlive()",
        "req:127.0.0.1::checkAlive()\r\n",
        "req:127.0.0.1:123456789:checkAlive()",
        "req:127.0.0.1:-1:checkAlive()",
        "req:127.0.0.999:00000001:checkAlive()",
        "req:host:00000001:checkAlive()",
        "req_reset:",
        "req_reset:127.0.0.1:127.0.0.1",
        "req_set_clu_ip:0d123456:127.0.0.2",
        "req_gen_measurements:127.0.0.1:-:x",
        "req_start_ftp_",
        "resp:ERROR",
        "resp:OK",
        "resp:127.0.0.1:00000001:1",
        "no request \u0000\u00ff",
    };

    private final CluRig rig;
    private final boolean fortified;
    private final Random random = new Random(5);
    private final List<DatagramChannel> sockets = new ArrayList<>();
    private final DatagramSocket client = new DatagramSocket(0, CluRig.LOOPBACK);
    private final ByteBuffer received = ByteBuffer.allocate(MAX);
    private final InetSocketAddress broadcasts;
    private final byte[][] malformed;
    private final byte[] plaintext = new byte[MAX];
    private final CluCipher cipher;
    private byte[][] recorded;
    private int rounds;
    private int sessions;
    private long responses;

    DatagramFlood(CluRig rig, boolean fortified) throws IOException {
        this.rig = rig;
        this.fortified = fortified;
        this.cipher = new CluCipher(rig.project);
        this.broadcasts = new InetSocketAddress("127.255.255.255", rig.clu.address().getPort());
        for (int i = 0; i < 4; i++) {
            DatagramChannel socket = DatagramChannel.open();
            socket.setOption(StandardSocketOptions.SO_BROADCAST, true);
            socket.bind(new InetSocketAddress("127.72.0.9", 0));
            socket.configureBlocking(false);
            sockets.add(socket);
        }
        malformed = Arrays.stream(MALFORMED).map(this::sealed).toArray(byte[][]::new);
    }

    private byte[] sealed(String text) {
        byte[] plain = text.getBytes(StandardCharsets.ISO_8859_1);
        byte[] sealed = new byte[CluCipher.encryptedLength(plain.length)];
        cipher.encrypt(plain, 0, plain.length, sealed);
        return sealed;
    }

    /** Returns how many responses have come. */
    long responses() {
        return responses;
    }

    /**
     * Sends that many, and sees that the controller still responds to its client after each few.
     *
     * @throws IOException if it does not within 30 s
     */
    void run(int datagrams) throws IOException {
        for (int sent = 0; sent < datagrams; sent += AT_A_TIME) {
            if (rounds % RECORDED_AGAIN == 0) {
                record();
            }
            rounds++;
            for (int i = 0; i < AT_A_TIME; i++) {
                byte[] bytes = i == 0 && random.nextInt(4) == 0 ? oversized() : datagram();
                SocketAddress to = random.nextInt(8) == 0 ? broadcasts : rig.clu.address();
                sockets.get(random.nextInt(sockets.size())).send(ByteBuffer.wrap(bytes), to);
            }
            byte[] response = rig.responseBefore("round " + rounds);
            if (response != null) { // to the client, that is
                throw new AssertionError("a response that nobody has asked for");
            }
            receive();
        }
    }

    private void receive() throws IOException {
        for (DatagramChannel socket : sockets) {
            while (socket.receive(received.clear()) != null) {
                responses++;
            }
        }
    }

    /** Records requests of each kind, which the controller has served. */
    private void record() throws IOException {
        CipherKey own = CipherKey.random(random);
        String register = "SYSTEM:clientRegister(\"127.0.0.1\",%d,%d,{{CLU,0},{CLU,2}})";
        Request[] requests = {
            lua("checkAlive()"),
            lua("1+1"),
            lua("CLU:get(1) .. '" + "x".repeat(1_500) + "'"),
            lua("SYSTEM:fetchValues({{CLU,0},{CLU,1}})"),
            lua(register.formatted(client.getLocalPort(), sessions)),
            new Request.CheckAlive(CluRig.LOOPBACK, ++sessions),
            new Request.Measurements(CluRig.LOOPBACK, ++sessions, "x"),
            new Request.StartTftp(),
            new Request.StopTftp(),
            new Request.SetIp(0x0d123456, CluRig.LOOPBACK, CluRig.LOOPBACK),
            new Request.Reset(CluRig.LOOPBACK),
            new Request.SetKey(
                    Challenge.encrypt(Challenge.random(random), rig.project), rig.project),
        };
        recorded = new byte[requests.length + 1][];
        for (int i = 0; i < requests.length; i++) {
            recorded[i] = CluRig.seal(rig.project, requests[i]);
            client.send(new DatagramPacket(recorded[i], recorded[i].length, rig.clu.address()));
        }
        rig.responseBefore("recorded"); // it has served them
        recorded[requests.length] =
                CluRig.seal(
                        CipherKey.BROADCAST,
                        new Request.Discovery(
                                Challenge.encrypt(new byte[30], own), own.iv(), CluRig.LOOPBACK));
    }

    private Request lua(String script) {
        return new Request.Lua(CluRig.LOOPBACK, 0x10_0000 + ++sessions, script);
    }

    private byte[] oversized() {
        byte[] bytes = new byte[2_049 + random.nextInt(MAX - 2_048)];
        random.nextBytes(bytes);
        byte[] head = any();
        System.arraycopy(head, 0, bytes, 0, Math.min(head.length, bytes.length));
        return bytes;
    }

    private byte[] any() {
        return recorded[random.nextInt(recorded.length)];
    }

    private byte[] datagram() {
        while (true) {
            byte[] bytes =
                    switch (random.nextInt(8)) {
                        case 0 -> randomBytes();
                        case 1 -> malformed[random.nextInt(malformed.length)];
                        case 2 -> any(); // sent again
                        case 3 -> Arrays.copyOf(any(), cutOff(any().length));
                        case 4 -> joined(any(), any());
                        default -> changed(any().clone());
                    };
            if (fortified ? !isOld(bytes) : isHarmless(bytes)) {
                return bytes;
            }
        }
    }

    private byte[] randomBytes() {
        byte[] bytes =
                new byte[random.nextInt(8) == 0 ? random.nextInt(2_048) : 16 * random.nextInt(12)];
        random.nextBytes(bytes);
        return bytes;
    }

    private int cutOff(int length) {
        return random.nextBoolean() ? random.nextInt(length) : random.nextInt(length) / 16 * 16;
    }

    /** The blocks of one and then of another. */
    private byte[] joined(byte[] one, byte[] other) {
        int length = 16 * random.nextInt(1 + one.length / 16);
        int from = 16 * random.nextInt(1 + other.length / 16);
        byte[] bytes = Arrays.copyOf(one, length + other.length - from);
        System.arraycopy(other, from, bytes, length, other.length - from);
        return bytes;
    }

    private byte[] changed(byte[] bytes) {
        int changes = 1 + random.nextInt(3);
        int at = random.nextInt(bytes.length); // each elsewhere, so that none undoes another
        for (int i = 0; i < changes; i++) {
            int change = random.nextBoolean() ? 1 << random.nextInt(8) : 1 + random.nextInt(255);
            bytes[(at + 5 * i) % bytes.length] ^= (byte) change;
        }
        return bytes;
    }

    /** Requests without a session are always the same, and not recognised for ever. */
    private boolean isOld(byte[] bytes) {
        if (rounds > 2 * RECORDED_AGAIN) {
            for (int i = FIRST_WITHOUT_SESSION; i < SET_KEY; i++) {
                if (Arrays.equals(recorded[i], bytes)) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * SET_KEY has no integrity check: a mutated one can lock everybody out of a controller that is
     * not fortified, this test included. Unchanged resets and keys are sent, but take long.
     */
    private boolean isHarmless(byte[] bytes) {
        int size = cipher.decrypt(bytes, 0, bytes.length, plaintext);
        if (size < 0) {
            return true;
        }
        return switch (RequestParser.parse(plaintext, size)) {
            case Request.SetKey set -> set.key().equals(rig.project) && random.nextInt(256) == 0;
            case Request.Reset reset -> random.nextInt(256) == 0;
            default -> true;
        };
    }

    static long liveHeap() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    /** Returns how many threads a controller has, by their names. */
    static Map<String, Long> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("sirocco-home"))
                .collect(Collectors.groupingBy(name -> name, TreeMap::new, Collectors.counting()));
    }

    @Override
    public void close() throws IOException {
        client.close();
        for (DatagramChannel socket : sockets) {
            socket.close();
        }
    }
}
