// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.home.protocol.Bytes;
import io.sirocco.home.protocol.Challenge;
import io.sirocco.home.protocol.CipherKey;
import io.sirocco.home.protocol.CluCipher;
import io.sirocco.home.protocol.Request;
import io.sirocco.home.protocol.RequestParser;
import io.sirocco.home.protocol.Response;
import io.sirocco.home.tftp.Mode;
import io.sirocco.home.tftp.TftpClient;
import io.sirocco.home.tftp.TftpSettings;
import io.sirocco.http.QuietLogs;
import io.sirocco.net.Loops;
import io.sirocco.net.Rig;
import io.sirocco.testkit.FreePort;
import io.sirocco.testkit.ManualClock;
import java.io.IOException;
import java.net.BindException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Defects of OpenGr8on that show at the controller as a whole, over its sockets. Those of one
 * object or one package are tested beside it; docs/from-opengr8on.md lists all.
 */
class KnownDefectsTest {
    private static final String MAIN =
            """
            CLU = OBJECT:new(0, 0x7f000001, "CLU1")
            TIM1 = OBJECT:new(6, "TIM1")
            STO1 = OBJECT:new(44, "STO1")
            x, n, ticks = 0, 0, 0
            STO1:execute(4, "x")
            function setVar(name, value) _G[name] = value end
            function count()
                local before = n
                for i = 1, 1000 do end
                n = before + 1
            end
            TIM1:add_event(0, function() ticks = ticks + 1 end)
            TIM1:add_event(1, count)
            function checkAlive() return "0d123456" end
            require "user"
            SYSTEM.Init()
            repeat SYSTEM.Loop() until 1 == 2
            """;

    @TempDir Path directory;
    private final ManualClock clock = new ManualClock();
    private CluRig rig;
    private CluClient client;

    private void open(Consumer<CluSettings> configure) throws Exception {
        Files.createDirectories(directory.resolve("root/a"));
        Files.writeString(directory.resolve("root/a/USER.LUA"), "");
        rig = new CluRig(directory, MAIN, configure);
        client = rig.client();
    }

    private void openWithClock() throws Exception {
        open(settings -> settings.scripts(scripts -> scripts.clock(clock)));
    }

    @AfterEach
    void close() {
        if (rig != null) {
            client.close();
            rig.close();
        }
    }

    private String execute(String script) throws Exception {
        return get(client.execute(script));
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(30, TimeUnit.SECONDS);
    }

    private CluDiscovery.Device discover() throws Exception {
        return get(CluDiscovery.discover(
                        rig.loops,
                        CluRig.LOOPBACK,
                        new InetSocketAddress("127.255.255.255", rig.clu.address().getPort()),
                        CipherKey.random(new SecureRandom()),
                        Duration.ofSeconds(30),
                        1))
                .getFirst();
    }

    // ---- Rows of the protocol

    /** A discovery is a broadcast; the key for it opens nothing at the controller's own address. */
    @Test
    void aDiscoveryToTheOwnAddressIsNone() throws Exception {
        open(settings -> {});
        CipherKey own = CipherKey.random(new SecureRandom());
        Bytes challenge = Challenge.encrypt(new byte[30], own);
        var discovery = new Request.Discovery(challenge, own.iv(), CluRig.LOOPBACK);
        byte[] request = CluRig.seal(CipherKey.BROADCAST, discovery);
        byte[] response = rig.exchange(rig.clu.address(), request);
        assertFalse(
                CluRig.open(CipherKey.grenton(own.iv()), response) instanceof Response.Discovery);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "req:127.0.0.1:3649ab:1+1            | resp:127.0.0.1:003649ab:2",
                "req:127.0.0.1:FFFFFFFF:'a:b:c'      | resp:127.0.0.1:ffffffff:a:b:c",
                "req:127.0.0.1:7:checkAlive()        | resp:127.0.0.1:00000007:0d123456",
                "req:127.0.0.1:00000000:\"\"         | resp:127.0.0.1:00000000:",
            })
    void theSessionComesBackInEightDigits(String request, String response) throws Exception {
        open(settings -> {});
        for (String end : List.of("", "\r\n")) {
            byte[] bytes = rig.exchange(rig.project, (request + end).getBytes(UTF_8));
            byte[] plaintext = new byte[bytes.length];
            int size = new CluCipher(rig.project).decrypt(bytes, 0, bytes.length, plaintext);
            assertEquals(response, new String(plaintext, 0, size, ISO_8859_1));
        }
    }

    /** Limit of the reference: longer datagrams than 2,048 bytes had no response. */
    @Test
    void aLongScriptHasAResponse() throws Exception {
        open(settings -> {});
        String script = "#'" + "x".repeat(50_000) + "'";
        byte[] request = ("req:127.0.0.1:00000001:" + script).getBytes(UTF_8);
        assertEquals(new Response.Lua(CluRig.LOOPBACK, 1, "50000"), rig.await(request));
    }

    // ---- Its folder

    @Test
    void theFolderOfTheReferenceIsTakenOver() throws Exception {
        Path scripts = Files.createDirectories(directory.resolve("root/a"));
        Files.createDirectories(directory.resolve("storage"));
        Files.writeString(
                directory.resolve("keys.json"),
                """
                {"key":"AAECAwQFBgcICQoLDA0ODw==","iv":"EBESExQVFhcYGRobHB0eHw==",
                 "defaultIV":"ICEiIyQlJicoKSorLC0uLw==","pin":"N0szUVg5WkI="}""");
        Files.writeString(
                scripts.resolve("CONFIG.JSON"),
                """
                {"sn":219296854,"mac":"0eaa55aa55aa","hwType":19,"hwVer":1,"fwType":3,
                 "fwApiVer":11163050,"fwVer":"1","status":"OK","tfbusDevices":[]}""");
        Files.writeString(scripts.resolve("config.txt"), "00000000\r\n0d123456\r\n");
        Files.writeString(directory.resolve("storage/storage.json"), "{\"x\":41}");
        Files.writeString(scripts.resolve("USER.LUA"), "user = 'mine'");
        Files.writeString(scripts.resolve("MAIN.LUA"), MAIN);
        var key =
                new CipherKey(
                        Bytes.of(HexFormat.of().parseHex("000102030405060708090a0b0c0d0e0f")),
                        Bytes.of(HexFormat.of().parseHex("101112131415161718191a1b1c1d1e1f")));
        try (Loops loops = Loops.start(settings -> settings.loops(1).name("test"));
                Clu clu =
                        Clu.start(
                                settings ->
                                        settings.directory(directory)
                                                .address(CluRig.LOOPBACK)
                                                .port(0)
                                                .tftpPort(0)
                                                .broadcasts(false));
                CluClient owner = CluClient.open(loops, CluRig.LOOPBACK, clu.address(), key)) {
            assertTrue(get(owner.checkAlive(0x0d123456)));
            assertEquals("41", get(owner.execute("x")));
            assertEquals("mine", get(owner.execute("user")));
            assertEquals("7K3QX9ZB", clu.pin());
            assertEquals(0x0d123456, clu.serial());
        }
    }

    // ---- Uploads and resets

    @Test
    void anUploadOverTftpIsReadAfterAReset() throws Exception {
        InetSocketAddress tftp = FreePort.udpAddress();
        open(settings -> settings.tftpPort(tftp.getPort()));
        var files = new TftpClient(rig.loops, CluRig.LOOPBACK, TftpSettings.DEFAULTS);
        for (int upload = 1; upload <= 3; upload++) {
            get(client.startTftp());
            byte[] script = ("uploaded = " + upload).getBytes(UTF_8);
            get(files.write(tftp, "a:\\USER.LUA", script, Mode.OCTET));
            get(client.reset());
            assertEquals("" + upload, execute("uploaded"));
        }
    }

    @Test
    void aResetEndsTftpAndTheTemporaryKey() throws Exception {
        InetSocketAddress tftp = FreePort.udpAddress();
        open(settings -> settings.tftpPort(tftp.getPort()));
        CipherKey temporary = discover().temporaryKey(CluRig.PIN);
        byte[] alive = CluRig.seal(temporary, new Request.Lua(CluRig.LOOPBACK, 1, "checkAlive()"));
        assertEquals(
                new Response.Lua(CluRig.LOOPBACK, 1, "0d123456"),
                CluRig.open(temporary, rig.exchange(rig.clu.address(), alive)));
        for (String start : List.of("req_start_ftp", "req_gen_measurements:127.0.0.1:0000abcd:x")) {
            new DatagramSocket(tftp).close(); // it does not run yet
            rig.await(start.getBytes(UTF_8));
            assertThrows(BindException.class, () -> new DatagramSocket(tftp).close());
            get(client.reset());
            Rig.until("TFTP has ended", () -> isFree(tftp));
            assertNull(CluRig.open(temporary, rig.exchange(rig.clu.address(), alive)));
        }
    }

    private static boolean isFree(InetSocketAddress address) {
        try {
            new DatagramSocket(address).close();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Defect: values were saved, and did not return to the variables of the scripts. */
    @Test
    void aStoredVariableIsBackAfterAResetAndARestart() throws Exception {
        openWithClock();
        execute("setVar('x', 41)");
        for (int i = 0; i < 4; i++) {
            clock.advance(500);
            execute("1");
        }
        get(client.reset());
        assertEquals("41", execute("x"));
        rig.clu.close();
        try (Clu again = rig.start(settings -> {});
                CluClient other = rig.client(again, rig.project)) {
            assertEquals("41", get(other.execute("x")));
        }
    }

    // ---- Scripts

    /** Defect 5: a timer of 500 ms had a period of 1,000 ms. */
    @Test
    void defect5ATimerOf500MillisecondsTicks20TimesIn10Seconds() throws Exception {
        openWithClock();
        execute("TIM1:set(0, 500)");
        execute("TIM1:set(1, 1)");
        execute("TIM1:execute(0)");
        for (int half = 1; half <= 20; half++) {
            assertEquals("" + (half - 1), ticksAfter(499));
            assertEquals("" + half, ticksAfter(1));
        }
    }

    private String ticksAfter(int millis) throws Exception {
        clock.advance(millis);
        execute("1"); // what is due waits behind this call at most
        execute("1"); // and its handler behind this one
        return execute("ticks");
    }

    /** Defect 10: without the controller in the project, or without MQTT, there was no response. */
    @Test
    void defect10AValueForHomeAssistantHasAResponseWithoutAProject() throws Exception {
        open(settings -> {});
        assertEquals("nil", execute("CLU:execute(20, 'Rain', 'rain', '', 'mm', '{{ value }}')"));
        assertEquals("nil", execute("CLU:execute(21, 'rain', 3)"));
        assertEquals("nil", execute("CLU:execute(30, 'CLU1->DIN1')"));
    }

    /**
     * Defect: calls of clients and handlers of events ran at the same time, without a lock. The
     * clock stands still, so that no script is interrupted for its time.
     */
    @Test
    void callsAndHandlersChangeVariablesOneAfterTheOther() throws Exception {
        openWithClock();
        List<CluClient> clients = new ArrayList<>();
        try {
            for (int i = 0; i < 4; i++) {
                clients.add(rig.client());
            }
            for (int round = 0; round < 10; round++) {
                List<CompletableFuture<String>> calls = new ArrayList<>();
                for (int i = 0; i < 100; i++) { // its handler of OnStart counts as well
                    CluClient each = clients.get(i % clients.size());
                    calls.add(each.execute("{count(), TIM1:execute(0)}"));
                }
                for (CompletableFuture<String> call : calls) {
                    get(call);
                }
            }
        } finally {
            clients.forEach(CluClient::close);
        }
        execute("1"); // the last handler waited before this call
        assertEquals("2000", execute("n"));
    }

    @Test
    void withoutMainTheStateIs4() throws Exception {
        open(settings -> {});
        assertEquals("1", execute("CLU:get(2)"));
        Files.delete(directory.resolve("root/a/MAIN.LUA"));
        get(client.reset());
        assertEquals("4", execute("OBJECT:new(0, 0x7f000001, 'CLU1'):get(2)"));
    }

    // ---- Clients

    /** Defect: the first response ended a call, also one of another session. */
    @Test
    void aResponseOfAnotherSessionEndsNoCall() throws Exception {
        open(settings -> {});
        try (var controller = new DatagramSocket(0, CluRig.LOOPBACK);
                CluClient caller =
                        CluClient.open(
                                rig.loops,
                                CluRig.LOOPBACK,
                                (InetSocketAddress) controller.getLocalSocketAddress(),
                                rig.project)) {
            CompletableFuture<String> value = caller.execute("x");
            var packet = new DatagramPacket(new byte[2_048], 2_048);
            controller.setSoTimeout(30_000);
            controller.receive(packet);
            byte[] plain = new byte[packet.getLength()];
            int size =
                    new CluCipher(rig.project)
                            .decrypt(packet.getData(), 0, packet.getLength(), plain);
            int session = ((Request.Lua) RequestParser.parse(plain, size)).session();
            for (int other : new int[] {session + 1, session}) {
                byte[] sealed =
                        CluRig.seal(
                                rig.project,
                                new Response.Lua(CluRig.LOOPBACK, other, "of " + other));
                controller.send(
                        new DatagramPacket(sealed, sealed.length, packet.getSocketAddress()));
            }
            assertEquals("of " + session, get(value));
        }
    }

    // ---- Secrets

    /** Defect: keys and the PIN were in the log; here at no level. */
    @Test
    void neitherKeysNorThePinAreLogged() throws Exception {
        Queue<String> logged = new ConcurrentLinkedQueue<>();
        BiConsumer<String, Throwable> reader =
                (line, thrown) -> {
                    logged.add(line);
                    for (Throwable each = thrown; each != null; each = each.getCause()) {
                        logged.add(each.toString());
                    }
                };
        QuietLogs.READERS.add(reader);
        try {
            open(settings -> {});
            rig.clu.close();
            String pin = "7K3QX9ZB";
            new KeyFile(directory).write(new KeyFile.Content(rig.project, pin, true));
            int port = rig.clu.address().getPort();
            try (Clu clu = rig.start(settings -> settings.port(port))) {
                CipherKey temporary = discover().temporaryKey(clu.pin());
                CipherKey next = CipherKey.random(new SecureRandom());
                adopt(clu, temporary, next);
                clu.log().lines().forEach(line -> logged.add(line.text()));
                logged.add(rig.project + " " + temporary + " " + next);
                for (CipherKey key : List.of(rig.project, temporary, next)) {
                    isAbsent(key.key().toArray(), logged);
                    isAbsent(key.iv().toArray(), logged);
                }
                isAbsent(pin.getBytes(UTF_8), logged);
                assertFalse(logged.stream().anyMatch(line -> line.contains(pin)));
            }
            assertTrue(
                    logged.stream().anyMatch(line -> line.contains("has set the project key")),
                    logged::toString);
        } finally {
            QuietLogs.READERS.remove(reader);
        }
    }

    private void adopt(Clu clu, CipherKey temporary, CipherKey next) throws Exception {
        try (CluClient adopting = rig.client(clu, temporary)) {
            get(adopting.setKey(next));
            assertEquals("nil", get(adopting.execute("nosuch()")));
            get(adopting.startTftp());
            get(adopting.reset());
            for (CipherKey dead : List.of(rig.project, temporary)) {
                rig.send(clu.address(), CluRig.seal(dead, new Request.Reset(CluRig.LOOPBACK)));
            }
            rig.send(clu.address(), "no request".getBytes(UTF_8));
            assertEquals("2", get(adopting.execute("1+1")));
        }
    }

    private static void isAbsent(byte[] secret, Queue<String> logged) {
        String hex = HexFormat.of().formatHex(secret);
        String base64 = Base64.getEncoder().withoutPadding().encodeToString(secret);
        for (String form : List.of(hex, base64, Arrays.toString(secret))) {
            assertFalse(
                    logged.stream()
                            .anyMatch(
                                    line ->
                                            line.contains(form)
                                                    || line.contains(form.toUpperCase())),
                    form);
        }
    }
}
