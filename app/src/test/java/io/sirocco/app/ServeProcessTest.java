// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.app.Client.Answer;
import io.sirocco.testkit.Eventually;
import io.sirocco.testkit.FreePort;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The command as a process of its own, with real signals. */
@Tag("peers")
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "it has no signals")
class ServeProcessTest {
    @ParameterizedTest
    @ValueSource(strings = {"io_uring", "nio"})
    void sigtermLetsARequestEndAndExitsWith0(String transport) throws Exception {
        try (var child = new Child("serve", "--port", "0", "--transport", transport)) {
            if (child.line().isEmpty() && transport.equals("io_uring")) {
                assertTrue(child.err().contains("io_uring"), child.err());
                return; // this system has none, and it was said
            }
            int port = child.port();
            try (var upload = new Client(port);
                    var idle = new Client(port);
                    var ticks = new Client(port)) {
                idle.send("GET /hello/idle HTTP/1.1\r\nHost: a\r\n\r\n");
                assertEquals('H', idle.in().read());
                ticks.send("GET /ticks HTTP/1.1\r\nHost: a\r\n\r\n");
                assertEquals('H', ticks.in().read());
                upload.send(
                        "POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\nExpect: 100-continue\r\n\r\n");
                assertTrue(new String(upload.in().readNBytes(25)).startsWith("HTTP/1.1 100"));
                child.signal("TERM");
                idle.in().readAllBytes(); // ends by itself
                ticks.in().readAllBytes();
                assertThrows(ConnectException.class, () -> new Client(port).close());
                upload.send("12345678");
                Answer answer = upload.last();
                assertEquals("{\"bytes\":8}", answer.body());
            }
            assertEquals(0, child.exitCode());
            String said = child.err();
            assertTrue(said.contains("INFO stopping: waiting up to 30 s"), said);
            assertTrue(said.endsWith("INFO stopped\n"), said);
            long others = said.lines().filter(line -> line.contains(" has blocked ")).count();
            assertEquals(2, said.lines().count() - others, said); // a loaded machine loads slowly
        }
    }

    @Test
    void sigintEndsItWith0AndThePortIsFreeAtOnce() throws Exception {
        int port;
        try (var first = new Child("serve", "--port", "0")) {
            port = first.port();
            Client.get(port, "/hello/a");
            first.signal("INT");
            assertEquals(0, first.exitCode());
            assertTrue(first.err().contains("INFO stopped\n"), first.err());
        }
        try (var second = new Child("serve", "--port", Integer.toString(port))) {
            assertEquals(port, second.port());
            assertEquals("Hello, a", Client.get(port, "/hello/a").body());
        }
    }

    @Test
    void aSecondSignalEndsItAtOnce() throws Exception {
        try (var child = new Child("serve", "--port", "0");
                var upload = new Client(child.port())) {
            upload.send(
                    "POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\nExpect: 100-continue\r\n\r\n");
            assertEquals('H', upload.in().read());
            child.signal("TERM");
            awaitDrain(child.port());
            child.signal("TERM");
            assertEquals(130, child.exitCode());
        }
    }

    /** As a load balancer sees it, which asks /ready and then sends its requests elsewhere. */
    @Test
    void duringTheDrainDelayItIsNotReadyAndServes(@TempDir Path folder) throws Exception {
        int admin = FreePort.tcp();
        try (var child = new Child("serve", "--config", drainDelay(folder, "1h", admin));
                var kept = new Client(child.port())) {
            assertEquals("", kept.ask("GET", "/hello/a").field("Connection"));
            assertEquals(200, Client.get(admin, "/ready").status());
            child.signal("TERM");
            Eventually.await("it is not ready", () -> Client.get(admin, "/ready").status() == 503);
            assertEquals(200, Client.get(admin, "/health").status());
            Eventually.await("responses end connections", () -> endsConnections(child.port()));
            var last = kept.ask("GET", "/hello/b");
            assertEquals("Hello, b", last.body());
            assertEquals("close", last.field("Connection"));
            assertEquals(-1, kept.in().read());
            child.signal("TERM"); // the second one does not wait
            assertEquals(130, child.exitCode());
        }
    }

    @Test
    void afterTheDrainDelayItStops(@TempDir Path folder) throws Exception {
        try (var child =
                new Child("serve", "--config", drainDelay(folder, "50ms", FreePort.tcp()))) {
            child.port();
            child.signal("TERM");
            assertEquals(0, child.exitCode());
            String said = child.err();
            assertTrue(said.contains("INFO draining: accepts connections for 50 ms more\n"), said);
            assertTrue(said.endsWith("INFO stopped\n"), said);
        }
    }

    private static String drainDelay(Path folder, String delay, int admin) throws IOException {
        String toml =
                """
                [server]
                drain-delay = "%s"
                [[listen]]
                address = "127.0.0.1:0"
                [admin]
                address = "127.0.0.1:%d"
                """;
        Path file = folder.resolve("sirocco.toml");
        return Files.writeString(file, toml.formatted(delay, admin)).toString();
    }

    private static boolean endsConnections(int port) throws IOException {
        try (var client = new Client(port)) {
            return client.ask("GET", "/hello/c").field("Connection").equals("close");
        }
    }

    private static void awaitDrain(int port) throws IOException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (accepts(port)) {
            assertTrue(System.nanoTime() < end, "it does not drain: it still accepts");
        }
    }

    private static boolean accepts(int port) throws IOException {
        try {
            new Client(port).close();
            return true;
        } catch (ConnectException e) {
            return false;
        } catch (SocketException e) {
            return true; // reset: it was in the backlog when the address was closed
        }
    }

    @Test
    void theLogNamesASelfSignedCertificateAndACommandThatWorks(@TempDir Path folder)
            throws Exception {
        Path state = Files.createDirectory(folder.resolve("the state"));
        try (var child = Child.withState(state, "serve", "--port", "0", "--tls-self-signed")) {
            int port = child.port();
            Path certificate = state.resolve("sirocco/localhost.pem");
            String curl = "curl --cacert '" + certificate + "' https://localhost:" + port + "/";
            String line = child.errLine();
            assertTrue(
                    line.endsWith(
                            "INFO the self-signed certificate is "
                                    + certificate
                                    + "; try: "
                                    + curl),
                    line);
            var shell =
                    new ProcessBuilder("sh", "-c", curl.replace("curl", "curl -fsS") + "hello/a");
            Process process = shell.redirectErrorStream(true).start();
            assertEquals("Hello, a", new String(process.getInputStream().readAllBytes()));
            assertEquals(0, process.waitFor());
        }
    }

    @Test
    void aPortInUseExitsWith2AndSaysWhere() throws Exception {
        try (var first = new Child("serve", "--port", "0");
                var second = new Child("serve", "--port", Integer.toString(first.port()))) {
            assertEquals(2, second.exitCode());
            String said = second.err();
            assertTrue(
                    said.startsWith(
                            "command line: error: cannot listen on 127.0.0.1:%d: Address already in use\n"
                                    .formatted(first.port())),
                    said);
            assertTrue(said.contains("port 0 selects a free one"), said);
        }
    }

    @Test
    void anAdminPortInUseExitsWith2AndSaysWhere(@TempDir Path folder) throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Path file = folder.resolve("sirocco.toml");
            String admin = "[admin]\naddress = \"127.0.0.1:%d\"\n".formatted(taken.getLocalPort());
            Files.writeString(file, "[[listen]]\naddress = \"127.0.0.1:0\"\n" + admin);
            try (var child = new Child("serve", "--config", file.toString())) {
                assertEquals(2, child.exitCode());
                String said = child.err();
                assertTrue(
                        said.contains(
                                "sirocco.toml:4:11: error: cannot listen on 127.0.0.1:%d: Address already in use\n"
                                        .formatted(taken.getLocalPort())),
                        said);
                assertTrue(said.contains("port 0 selects a free one"), said);
            }
        }
    }

    @Test
    void anAdminTokenThatIsTooShortExitsWith2AndSaysWhere(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("token"), "short");
        Path file = folder.resolve("sirocco.toml");
        Files.writeString(
                file,
                "[[listen]]\naddress = \"127.0.0.1:0\"\n"
                        + "[admin]\naddress = \"127.0.0.1:0\"\ntoken-file = \"token\"\n");
        try (var child = new Child("serve", "--config", file.toString())) {
            assertEquals(2, child.exitCode());
            String said = child.err();
            assertTrue(said.contains("sirocco.toml:5:14: error: the token in"), said);
        }
    }

    @Test
    void theAddressOfTheAdminServerIsInTheLineThatSaysReady(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("sirocco.toml");
        Files.writeString(
                file,
                "[[listen]]\naddress = \"127.0.0.1:0\"\n[admin]\naddress = \"127.0.0.1:0\"\n");
        try (var child = new Child("serve", "--config", file.toString())) {
            String line = child.line();
            assertTrue(line.matches(".*\\); admin: http://127\\.0\\.0\\.1:[1-9]\\d*"), line);
        }
    }

    @Test
    void aMissingDirectoryExitsWith2() throws Exception {
        try (var child = new Child("serve", "no/such/folder")) {
            assertEquals(2, child.exitCode());
            assertTrue(
                    child.err().contains("the directory 'no/such/folder' does not exist"),
                    child.err());
        }
    }

    @Test
    void aDirectoryIsNamedInTheLineThatSaysReady(@TempDir Path site) throws Exception {
        try (var child = new Child("serve", "--port", "0", "--loops", "1", site.toString())) {
            String ready = child.line();
            assertTrue(ready.startsWith("Sirocco serves " + site + " on http://"), ready);
            assertTrue(ready.endsWith(", 1 loop)"), ready);
        }
    }

    /** Handlers run on the JDK's own scheduler then; nobody but the log sees a difference. */
    @ParameterizedTest
    @ValueSource(strings = {"auto", "nio"})
    void withoutTheOptionsOfTheJvmItServesAllTheSame(String transport) throws Exception {
        String[] command = {"serve", "--port", "0", "--transport", transport};
        try (var child = new Child(List.of(), command)) {
            int port = child.port();
            assertEquals("Hello, a", Client.get(port, "/hello/a").body());
            try (var echo = new Client(port);
                    var ticks = new Client(port)) {
                String body = "0123456789".repeat(10_000);
                echo.send("POST /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\n");
                echo.send("Content-Type: a/b\r\nContent-Length: 100000\r\n\r\n" + body);
                assertEquals(body, echo.last().body());
                ticks.send("GET /ticks HTTP/1.1\r\nHost: a\r\n\r\n");
                assertEquals('H', ticks.in().read());
                child.signal("TERM");
                ticks.in().readAllBytes();
            }
            assertEquals(0, child.exitCode());
        }
    }

    /** The terminal was closed: the JVM has its own exit code for that. */
    @Test
    void sighupDrainsToo() throws Exception {
        try (var child = new Child("serve", "--port", "0");
                var upload = new Client(child.port())) {
            upload.send(
                    "POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
            assertTrue(new String(upload.in().readNBytes(25)).startsWith("HTTP/1.1 100"));
            child.signal("HUP");
            awaitDrain(child.port());
            upload.send("12");
            assertEquals("{\"bytes\":2}", upload.last().body());
            assertEquals(129, child.exitCode());
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aReloadNamesTheAddressesThatItOpensAndCloses(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("sirocco.toml");
        Path first = folder.resolve("first.sock");
        Path second = folder.resolve("second.sock");
        String tables =
                "[server]\nreload = false\n[[listen]]\naddress = \"127.0.0.1:0\"\n[[listen]]\n";
        Files.writeString(file, tables + "address = \"unix:" + first + "\"\n");
        try (var child = new Child("serve", "--config", file.toString())) {
            assertTrue(child.line().contains("unix:" + first), child.line());
            Files.writeString(file, tables + "address = \"unix:" + second + "\"\n");
            child.signal("HUP");
            Eventually.await("the other socket", () -> Files.exists(second));
            Eventually.await("the first one's end", () -> !Files.exists(first));
            child.signal("TERM");
            assertEquals(0, child.exitCode());
            String changes = "; opened unix:" + second + "; closed unix:" + first;
            assertTrue(child.err().contains(changes), child.err());
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void afterAKillItsUnixSocketCanBeBoundAgain(@TempDir Path folder) throws Exception {
        Path socket = folder.resolve("a.sock");
        Path file = folder.resolve("sirocco.toml");
        Files.writeString(file, "[[listen]]\naddress = \"unix:" + socket + "\"\n");
        try (var killed = new Child("serve", "--config", file.toString())) {
            assertTrue(killed.line().contains("unix:" + socket), killed.line());
            killed.signal("KILL");
            killed.exitCode();
        }
        assertTrue(Files.exists(socket));
        try (var next = new Child("serve", "--config", file.toString())) {
            assertTrue(next.line().contains("unix:" + socket), next.line());
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void sigusr1ReopensTheLogs(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("sirocco.toml");
        Path log = folder.resolve("server.log");
        Path access = folder.resolve("access.log");
        Files.writeString(
                file,
                """
                [[listen]]
                address = "127.0.0.1:0"
                [log]
                file = "server.log"
                [access-log]
                file = "access.log"
                """);
        try (var child = new Child("serve", "--config", file.toString())) {
            int port = child.port();
            Files.move(log, folder.resolve("server.log.1"));
            Files.move(access, folder.resolve("access.log.1"));
            child.signal("USR1");
            Eventually.await("both files", () -> Files.exists(log) && Files.exists(access));
            assertEquals("Hello, a", Client.get(port, "/hello/a").body());
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void belowNohupAClosedTerminalEndsNothing() throws Exception {
        try (var child = Child.belowNohup("serve", "--port", "0")) {
            int port = child.port();
            child.signal("HUP");
            assertEquals("Hello, a", Client.get(port, "/hello/a").body());
            child.signal("TERM");
            assertEquals(0, child.exitCode());
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void belowNohupSighupReloads(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("sirocco.toml");
        String listen = "[[listen]]\naddress = \"127.0.0.1:0\"\n[server]\nreload = false\n";
        Files.writeString(file, listen);
        try (var child = Child.belowNohup("serve", "--config", file.toString())) {
            int port = child.port();
            Files.writeString(file, listen + "name = \"changed\"\n");
            child.signal("HUP");
            Eventually.await(
                    "the new configuration",
                    () -> Client.get(port, "/").head().contains("Server: changed"));
        }
    }

    /** The libraries of scripts and of 'home' cost nothing where they are not needed. */
    @Test
    void noClassOfScriptsOrHomeIsLoadedWithoutNeed(@TempDir Path folder) throws Exception {
        Path classes = folder.resolve("classes.log");
        var flags = List.of("-Xlog:class+load:file=" + classes);
        Path file = folder.resolve("sirocco.toml");
        Files.writeString(
                file,
                """
                [[listen]]
                address = "127.0.0.1:0"
                [[site]]
                [[site.route]]
                path = "/*"
                proxy = "http://127.0.0.1:1"
                cache = true
                """);
        try (var child = new Child(flags, "serve", "--config", file.toString())) {
            assertEquals(502, Client.get(child.port(), "/").status());
        }
        String loaded = Files.readString(classes);
        assertTrue(loaded.contains("io.sirocco.web.proxy.Proxy"), "classes are logged");
        String unused =
                "io\\.sirocco\\.(script|app\\.script|home|app\\.home)\\.|graalvm|truffle|luaj|hivemq";
        assertEquals(
                List.of(), loaded.lines().filter(Pattern.compile(unused).asPredicate()).toList());
    }
}
