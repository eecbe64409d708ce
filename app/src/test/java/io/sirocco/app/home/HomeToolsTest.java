// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.home;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.app.home.RunningHome.Output;
import io.sirocco.testkit.FreePort;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** discover, alive, execute and fetch against a controller; and their errors. */
@Timeout(120)
class HomeToolsTest {
    @TempDir private Path folder;

    @Test
    void aliveAndExecute() throws Exception {
        try (var home = new RunningHome(folder)) {
            Output alive = home.tool("alive");
            assertEquals(0, alive.status(), alive.err());
            String line =
                    "127\\.0\\.0\\.1:" + home.udpPort() + " is alive, serial 0e[0-9a-f]{6}\\R";
            assertTrue(alive.out().matches(line), alive.out());
            assertEquals("1\n", home.tool("execute", "KitchenLamp:get(0)").out());
            home.tool("execute", "KitchenLamp:set(0, 0)");
            assertEquals("0\n", home.tool("execute", "KitchenLamp:get(0)").out());
        }
    }

    /** Defect 2 of OpenGr8on: on Linux its client found nothing. */
    @Test
    void discoverFindsTheController() throws Exception {
        try (var home = new RunningHome(folder)) {
            Output found =
                    RunningHome.run(
                            "discover",
                            "--interface",
                            "127.0.0.1",
                            "--port",
                            Integer.toString(home.udpPort()),
                            "--limit",
                            "1",
                            "--wait",
                            "30");
            assertEquals(0, found.status(), found.err());
            assertTrue(
                    found.out().matches("127\\.0\\.0\\.1  serial 0e[0-9a-f]{6}  MAC 00(:00){5}\\R"),
                    found.out());
        }
    }

    @Test
    void theProjectOfTheDemoHasItsKey() throws Exception {
        try (var home = new RunningHome(folder)) {
            Output value =
                    RunningHome.run(
                            "execute",
                            "--project",
                            folder.resolve("project.omp").toString(),
                            "--address",
                            "127.0.0.1:" + home.udpPort(),
                            "Heating:get(1)");
            assertEquals("21\n", value.out(), value.err());
        }
    }

    @Test
    void aSecondControllerOfTheSamePortOrFolderIsRefused(@TempDir Path other) throws Exception {
        try (var home = new RunningHome(folder)) {
            String port = Integer.toString(home.udpPort());
            String[] samePort = {"--interface", "127.0.0.1", "--admin", "none", "--port", port};
            Output taken = RunningHome.run(with(samePort, "--dir", other.toString()));
            assertEquals(1, taken.status());
            assertTrue(taken.err().contains("UDP port " + port + " of 127.0.0.1 is in use"));
            Output locked =
                    RunningHome.run(
                            "--interface", "127.0.0.1", "--port", "0", "--dir", folder.toString());
            assertEquals(1, locked.status());
            assertTrue(locked.err().contains("another controller runs from the folder " + folder));
        }
    }

    private static String[] with(String[] words, String... more) {
        return Stream.concat(Stream.of(words), Stream.of(more)).toArray(String[]::new);
    }

    @Test
    void reportsHaveQuotesOnDemand() throws Exception {
        try (var home = new RunningHome(folder, "--quoted-reports")) {
            Output value =
                    home.tool(
                            "execute",
                            "SYSTEM:clientRegister('127.0.0.1', "
                                    + FreePort.udp()
                                    + ", 7, {{CLU, 5}})");
            assertTrue(
                    value.out().matches("clientReport:7:\\{\"\\d{4}-\\d\\d-\\d\\d\"}\n"),
                    value.out() + value.err());
        }
    }

    @Test
    void interfacesAreWritten(@TempDir Path copy) throws Exception {
        Output output = RunningHome.run("interfaces", copy.resolve("new").toString());
        assertEquals(0, output.status(), output.err());
        Path timer = copy.resolve("new/object_timer.xml");
        assertTrue(output.out().lines().anyMatch(line -> line.equals(timer.toString())));
        assertTrue(Files.readString(timer).contains("class=\"6\""));
    }

    @Test
    void fetchCopiesTheScripts(@TempDir Path copy) throws Exception {
        int tftp = FreePort.udp();
        try (var home = new RunningHome(folder, "--tftp-port", Integer.toString(tftp))) {
            Output fetched =
                    home.tool("fetch", "--tftp-port", Integer.toString(tftp), copy.toString());
            assertEquals(0, fetched.status(), fetched.err());
            for (String file : new String[] {"CONFIG.JSON", "MAIN.LUA", "OM.LUA", "USER.LUA"}) {
                assertArrayEquals(
                        Files.readAllBytes(folder.resolve("root/a").resolve(file)),
                        Files.readAllBytes(copy.resolve(file)),
                        file);
            }
            assertFalse(Files.exists(copy.resolve("INIT.LUA")));
        }
    }

    @Test
    void aWrongKeyHasNoResponse(@TempDir Path other) throws Exception {
        Path keys = other.resolve("keys.json");
        Files.writeString(
                keys, "{\"key\":\"AAAAAAAAAAAAAAAAAAAAAA==\",\"iv\":\"AAAAAAAAAAAAAAAAAAAAAA==\"}");
        try (var home = new RunningHome(folder)) {
            Output alive =
                    RunningHome.run(
                            "alive",
                            "--address",
                            "127.0.0.1:" + home.udpPort(),
                            "--keys",
                            keys.toString(),
                            "--timeout",
                            "1");
            assertEquals(1, alive.status());
            assertEquals(
                    "no response from 127.0.0.1:%d within 1 s; check the address, and that the key in %s is that of this controller\n"
                            .formatted(home.udpPort(), keys),
                    alive.err());
        }
    }

    @Test
    void aliveSaysWhatIsWrongWithTheScripts() throws Exception {
        Path main = folder.resolve("root/a/MAIN.LUA");
        new RunningHome(folder).close();
        String text = Files.readString(main);
        Files.writeString(main, text.replaceAll("return \"[0-9a-f]{8}\"", "return \"well\""));
        try (var home = new RunningHome(folder)) {
            Output alive = home.tool("alive");
            assertEquals(1, alive.status());
            assertTrue(alive.err().contains("checkAlive() returns 'well': it must"), alive.err());
        }
        Files.writeString(main, "(");
        try (var home = new RunningHome(folder)) {
            Output alive = home.tool("alive");
            assertEquals(1, alive.status());
            assertTrue(alive.err().contains(" runs its emergency script: its log"), alive.err());
        }
    }

    /** The server has two sockets: one that never responds, and the controller. */
    @Test
    void fetchWaitsForTftpNoLongerThanItsTimeoutSays(@TempDir Path copy) throws Exception {
        try (var silent = new DatagramSocket(0, InetAddress.getLoopbackAddress());
                var home = new RunningHome(folder)) {
            String port = Integer.toString(silent.getLocalPort());
            Output output =
                    home.tool("fetch", "--tftp-port", port, "--timeout", "1", copy.toString());
            assertEquals(1, output.status());
            assertTrue(
                    output.err()
                            .startsWith(
                                    "CONFIG.JSON: no response from 127.0.0.1:%s (TFTP) within 1 s; check --tftp-port"
                                            .formatted(port)),
                    output.err());
            silent.setSoTimeout(30_000);
            var packet = new DatagramPacket(new byte[512], 512);
            for (int i = 0; i < 3; i++) {
                silent.receive(packet); // the request, three times
            }
        }
    }

    @Test
    void fetchStopsTheFileServerThatItHasStarted(@TempDir Path copy) throws Exception {
        int tftp = FreePort.udp();
        try (var home = new RunningHome(folder, "--tftp-port", Integer.toString(tftp))) {
            Output fetched =
                    home.tool("fetch", "--tftp-port", Integer.toString(tftp), copy.toString());
            assertEquals(0, fetched.status(), fetched.err());
            assertEquals("", fetched.err());
            new DatagramSocket(tftp, InetAddress.getLoopbackAddress()).close(); // is free
        }
    }

    @Test
    void theDemoReplacesNoFileOfAnotherFolder(@TempDir Path other) throws Exception {
        Path scripts = Files.createDirectories(other.resolve("root/a"));
        for (String name : new String[] {"USER.LUA", "OM.LUA", "MQTT.LUA", "CONFIG.JSON"}) {
            Path file = scripts.resolve(name);
            Files.writeString(file, "mine");
            Output output = demo(other);
            assertEquals(1, output.status());
            assertTrue(
                    output.err().startsWith(file + " exists, and the demo does not replace it"),
                    output.err());
            assertEquals("mine", Files.readString(file));
            Files.delete(file);
        }
        Files.writeString(scripts.resolve("MAIN.LUA"), "mine");
        Output output = demo(other);
        assertEquals(1, output.status());
        assertTrue(output.err().startsWith(other + " has scripts, and they are not"), output.err());
        assertFalse(Files.exists(scripts.resolve("MQTT.LUA")));
    }

    private static Output demo(Path folder) {
        return RunningHome.run("--demo", "--admin", "none", "--dir", folder.toString());
    }

    @Test
    void theDemoKeepsLinesOfTheOwnerInItsFileOfTheBroker() throws Exception {
        new RunningHome(folder).close();
        Path file = folder.resolve("root/a/MQTT.LUA");
        String own = "MQTT_URL = \"\"\nown = 'mine'\n";
        Files.writeString(file, own);
        try (var home = new RunningHome(folder)) {
            assertEquals("mine\n", home.tool("execute", "own").out());
        }
        assertEquals(own, Files.readString(file));
        Output output =
                RunningHome.run(
                        "--demo",
                        "--admin",
                        "none",
                        "--dir",
                        folder.toString(),
                        "--mqtt",
                        "tcp://127.0.0.1");
        assertEquals(1, output.status());
        assertTrue(output.err().startsWith(file + " has lines of your own"), output.err());
        assertEquals(own, Files.readString(file));
    }

    @Test
    void aScriptOfTheDemoSurvivesItsSecondStart() throws Exception {
        new RunningHome(folder).close();
        Path user = folder.resolve("root/a/USER.LUA");
        Files.writeString(user, Files.readString(user) + "\nown = 'mine'\n");
        try (var home = new RunningHome(folder)) {
            assertEquals("mine\n", home.tool("execute", "own").out());
            assertTrue(home.tool("alive").out().contains(" is alive, serial 0e"));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "alive                                            | 2 | --keys or by --project",
                "alive --keys a --project b                       | 2 | --keys or by --project",
                "alive --keys there-is-none                       | 1 | there is no file",
                "alive --keys pom.xml                             | 1 | is no keys.json",
                "execute                                          | 2 | SCRIPT",
                "interfaces                                       | 2 | DIR",
                "fetch --tftp-port 0 --keys a                     | 2 | 1 to 65535",
                "discover --limit 0                               | 2 | 1 to 1000",
                "discover --interface there-is-none               | 1 | there-is-none",
                "--port 65536                                     | 2 | 0 to 65535",
                "--admin 127.0.0.1                                | 2 | has no port: \"127.0.0.1\"; write HOST:PORT",
                "--admin 127.0.0.1:70000                          | 2 | invalid port: 70000; write HOST:PORT",
                "--admin 1.2.3:80                                 | 2 | is not an address",
                "--admin there-is-none.invalid:80                 | 2 | \"there-is-none.invalid:80\" is unknown; write",
                "--admin unix:/tmp/a                              | 2 | cannot be a file",
                "--demo --admin 192.0.2.1:0                       | 1 | needs a token; add --admin-token FILE",
                "--mqtt tcp://127.0.0.1                           | 2 | for the demo",
                "--demo --mqtt there                              | 2 | does not begin with tcp:// or ssl://",
                "--demo --admin 0.0.0.0:0                         | 1 | needs a token",
            })
    void aWrongCommandLineIsExplained(String line, int status, String message) {
        Output output = RunningHome.run(line.split(" "));
        assertEquals(status, output.status(), output.err());
        assertTrue(output.err().contains(message), output.err());
    }
}
