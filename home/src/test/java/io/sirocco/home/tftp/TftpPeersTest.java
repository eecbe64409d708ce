// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.tftp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.net.Loops;
import io.sirocco.net.Rig;
import io.sirocco.net.TransportKind;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A network that loses packets, a client of others (curl), and a server that is killed. */
@Tag("peers")
class TftpPeersTest {
    private static final InetAddress LOCAL = InetAddress.ofLiteral("127.0.0.1");

    @TempDir Path root;
    @TempDir Path elsewhere; // what is in the root counts for its limit
    private Path main;
    private Rig rig;

    @BeforeEach
    void start() throws IOException {
        main = Files.createDirectories(root.resolve("a")).resolve("MAIN.LUA");
        rig = new Rig(TransportKind.AUTO);
        rig.start(s -> s.loops(2));
    }

    @AfterEach
    void stop() throws IOException {
        rig.close();
    }

    private TftpServer serve(TftpSettings settings) throws IOException {
        var server = TftpServer.start(rig.loops(), LOCAL, 0, root, settings);
        server.admit(LOCAL);
        return server;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void aLossyNetworkChangesNothing(long seed) throws IOException {
        var settings = TftpSettings.DEFAULTS.retry(Duration.ofMillis(30), 200);
        byte[] content = Rig.pattern(25_000);
        try (TftpServer server = serve(settings)) {
            var client = new TftpClient(rig.loops(), LOCAL, settings);
            try (var relay = new LossyRelay(server.address(), 8, seed)) {
                Rig.get(client.write(relay.address(), "a:\\MAIN.LUA", content, Mode.OCTET));
                assertArrayEquals(content, Files.readAllBytes(main));
                assertTrue(relay.lost.get() > 0 && relay.doubled.get() > 0);
            }
            try (var relay = new LossyRelay(server.address(), 8, ~seed)) {
                assertArrayEquals(
                        content, Rig.get(client.read(relay.address(), "a:\\MAIN.LUA", Mode.OCTET)));
                assertTrue(relay.lost.get() > 0 && relay.doubled.get() > 0);
            }
        }
    }

    // ---- curl

    private String curl(String... arguments) throws Exception {
        assumeTrue(
                Stream.of(System.getenv("PATH").split(File.pathSeparator))
                        .anyMatch(each -> Files.isExecutable(Path.of(each, "curl"))),
                "curl is not installed");
        var command = new ArrayList<>(List.of("curl", "-sS", "--max-time", "120"));
        command.addAll(List.of(arguments));
        Process curl = new ProcessBuilder(command).redirectErrorStream(true).start();
        curl.getOutputStream().close();
        String output = new String(curl.getInputStream().readAllBytes(), UTF_8);
        assertTrue(curl.waitFor(120, TimeUnit.SECONDS), "curl does not end");
        return output;
    }

    private static String url(TftpServer server, String file) {
        return "tftp://127.0.0.1:" + server.address().getPort() + "/" + file;
    }

    private void curlReadsAndWrites(TftpServer server, byte[] content) throws Exception {
        Path local = elsewhere.resolve("local");
        Files.write(local, content);
        assertEquals("", curl("-T", local.toString(), url(server, "a/MAIN.LUA")));
        assertArrayEquals(content, Files.readAllBytes(main));
        Path copy = elsewhere.resolve("copy");
        assertEquals("", curl("-o", copy.toString(), url(server, "a/main.lua")));
        assertArrayEquals(content, Files.readAllBytes(copy));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 512, 1_024, 5_000})
    void curlReadsAndWrites(int size) throws Exception {
        try (TftpServer server = serve(TftpSettings.DEFAULTS)) {
            curlReadsAndWrites(server, Rig.pattern(size));
        }
    }

    @Tag("heavy")
    @Test
    void curlReadsAndWritesSeventyThousandBlocks() throws Exception {
        try (TftpServer server = serve(TftpSettings.DEFAULTS.maxFileSize(64 << 20))) {
            curlReadsAndWrites(server, Rig.pattern(70_000 * 512));
        }
    }

    @Test
    void curlReadsText() throws Exception {
        Files.writeString(main, "one\ntwo\n");
        try (TftpServer server = serve(TftpSettings.DEFAULTS)) {
            assertEquals("one\r\ntwo\r\n", curl(url(server, "a%3A%5CMAIN.LUA") + ";mode=netascii"));
        }
    }

    @Test
    void curlIsToldOfErrors() throws Exception {
        try (TftpServer server = serve(TftpSettings.DEFAULTS)) {
            assertTrue(curl(url(server, "a/NONE")).startsWith("curl: (68)")); // not found
            String outside = curl(url(server, "..%5C..%5Ckeys.json"));
            assertTrue(outside.startsWith("curl: (69)"), outside); // access violation
        }
    }

    // ---- kill -9

    /** A server in a JVM of its own; its argument is the root. It prints its port. */
    static final class Server {
        private Server() {}

        public static void main(String[] arguments) throws Exception {
            Loops loops = Loops.start(s -> s.loops(1));
            var server =
                    TftpServer.start(loops, LOCAL, 0, Path.of(arguments[0]), TftpSettings.DEFAULTS);
            server.admit(LOCAL);
            System.out.println(server.address().getPort());
            System.in.read(); // until the test ends
            System.exit(0);
        }
    }

    private Process child() throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty(
                                "surefire.test.class.path", System.getProperty("java.class.path")),
                        Server.class.getName(),
                        root.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static byte[] filled(int value) {
        byte[] content = new byte[100_000];
        Arrays.fill(content, (byte) value);
        return content;
    }

    private boolean someOfAnUploadIsThere() {
        try (var files = Files.list(main.getParent())) {
            for (Path file : files.filter(Upload::isTemporary).toList()) {
                if (Files.size(file) > 0) {
                    return true;
                }
            }
        } catch (IOException e) {
            // it has just been moved
        }
        return false;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void killInTheMiddleLeavesAWholeFile(int round) throws Exception {
        Files.write(main, filled(1));
        Process child = child();
        try {
            int port = Integer.parseInt(child.inputReader().readLine());
            var server = new InetSocketAddress(LOCAL, port);
            var client = new TftpClient(rig.loops(), LOCAL, TftpSettings.DEFAULTS);
            for (int i = 0; i < round; i++) {
                Rig.get(client.write(server, "a:\\MAIN.LUA", filled(2), Mode.OCTET));
                assertArrayEquals(filled(2), Files.readAllBytes(main));
            }
            var upload = client.write(server, "a:\\MAIN.LUA", filled(3), Mode.OCTET);
            Rig.until("the upload is under way", () -> someOfAnUploadIsThere() || upload.isDone());
            child.destroyForcibly().waitFor();
            byte[] left = Files.readAllBytes(main);
            assertArrayEquals(filled(left[0]), left);
            assertTrue(left[0] == 2 || left[0] == 3, () -> "" + left[0]);
        } finally {
            child.destroyForcibly().waitFor();
        }
        serve(TftpSettings.DEFAULTS).close();
        try (var files = Files.list(main.getParent())) {
            assertEquals(List.of(main), files.toList());
        }
    }
}
