// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that an editor, a full disk or a copy in progress has left empty or cut at a line. */
class ReloadRemovesNothingTest {
    private static final String FILE =
            """
            [server]
            reload = false

            [[listen]]
            address = "127.0.0.1:0"

            [[listen]]
            address = "unix:second.sock"

            [[site]]
            [[site.route]]
            path = "/"
            respond = { text = "the site" }
            """;

    @TempDir Path folder;

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 5, 8})
    void aFileThatIsEmptyOrCutAtALineIsRefused(int lines) throws Exception {
        String cut = String.join("\n", FILE.lines().limit(lines).toList()) + "\n";
        try (Running running = Running.of(folder, TransportKind.NIO, FILE)) {
            String why = running.refuses(cut);
            assertTrue(why.contains("sirocco.toml: error: a reload would remove all sites"), why);
            assertTrue(why.contains("reload-may-remove = true"), why);
            assertEquals("the site", Client.get(running.port(), "/").body());
        }
    }

    @Test
    void anAddressWithNoOtherInItsPlaceStays() throws Exception {
        try (Running running = Running.of(folder, TransportKind.NIO, FILE)) {
            String second = "[[listen]]\naddress = \"unix:second.sock\"\n";
            assertTrue(FILE.contains(second));
            String why = running.refuses(FILE.replace(second, ""));
            assertTrue(why.contains("would close unix:"), why);
            running.reload(FILE.replace("second.sock", "third.sock"));
            running.reload(
                    "server.reload-may-remove = true\n"
                            + FILE.replace("[server]\nreload = false\n", "").replace(second, ""));
            running.reload("server.reload-may-remove = true\n");
        }
    }

    private static final String PROTECTED =
            """
            [server]
            reload = false

            [[listen]]
            address = "127.0.0.1:0"

            [[site]]
            root = "public"

            [[site.route]]
            path = "/admin/*"
            basic-auth = { users-file = "users" }

            [[site]]
            hosts = ["b.test"]
            root = "public"

            [limits]
            max-header-fields = 1024
            """;

    /** Each line that the file can end at, and a number that loses its last digits. */
    @ParameterizedTest
    @ValueSource(strings = {"", "\n  \n", "# a line\n"})
    void aFileThatEndsWhereTheOneInEffectGoesOnIsRefused(String end) throws Exception {
        try (Running running = protectedFiles()) {
            String begin = PROTECTED.substring(0, PROTECTED.indexOf("\nroot"));
            List<String> lines = PROTECTED.lines().toList();
            int first = (int) begin.lines().count() - 1;
            for (int i = first; i < lines.size() - 1; i++) {
                if (lines.get(i).matches("(path|hosts).*")) continue; // it would be missing
                String cut = String.join("\n", lines.subList(0, i)) + "\n" + end;
                String why = running.refuses(cut);
                assertTrue(why.contains("sirocco.toml: error: "), cut + "\n" + why);
                assertTrue(why.contains("reload-may-remove = true"), cut + "\n" + why);
                assertEquals(401, Client.get(running.port(), "/admin/secret").status(), cut);
            }
            String why = running.refuses(PROTECTED.strip().replaceFirst("24$", "") + "\n");
            assertTrue(why.contains("it ends where the file in effect goes on"), why);
        }
    }

    /** A new file with other values was cut while it was written. */
    @Test
    void aChangedFileThatIsCutIsRefused() throws Exception {
        try (Running running = protectedFiles()) {
            String cut = PROTECTED.substring(0, PROTECTED.indexOf("[[site.route]]"));
            String why = running.refuses(cut.replace("\"public\"", "\".\""));
            assertTrue(
                    why.contains(
                            "it ends where the file in effect goes on with \"route\" in line 10"),
                    why);
            assertEquals(401, Client.get(running.port(), "/admin/secret").status());
        }
    }

    @Test
    void whatIsRemovedElsewhereOrHasNoEffectMayGo() throws Exception {
        try (Running running = protectedFiles()) {
            String second = "[[site]]\nhosts = [\"b.test\"]\nroot = \"public\"\n\n";
            assertTrue(PROTECTED.contains(second));
            running.reload(PROTECTED + "# a comment\n\n[timeouts]\nidle = \"75s\"\n");
            running.reload(PROTECTED + "# a com");
            running.reload(PROTECTED);
            running.reload(PROTECTED.replace(second, ""));
            running.reload(PROTECTED);
            String cut = PROTECTED.substring(0, PROTECTED.indexOf("[[site.route]]"));
            running.reload(cut.replace("reload =", "reload-may-remove = true\nreload ="));
            assertEquals(200, Client.get(running.port(), "/admin/secret").status());
        }
    }

    private Running protectedFiles() throws Exception {
        Path secret = folder.resolve("public/admin/secret");
        Files.createDirectories(secret.getParent());
        Files.writeString(secret, "secret");
        Files.writeString(folder.resolve("users"), "joe:$2y$04$" + "a".repeat(53) + "\n");
        return Running.of(folder, TransportKind.NIO, PROTECTED);
    }

    /** The name server is silent when the configuration is read again. */
    @Test
    void addressesOfUpstreamsStay() throws Exception {
        Path server = Files.createDirectory(folder.resolve("behind"));
        var names = new DatagramSocket(0, InetAddress.ofLiteral("127.0.0.1"));
        try (Running behind = Running.of(server, TransportKind.NIO, FILE)) {
            Thread answering = Thread.ofPlatform().daemon().start(() -> answer(names));
            String proxy =
                    """
                    [[listen]]
                    address = "127.0.0.1:0"
                    [[upstream]]
                    name = "app"
                    servers = ["http://app.test:%d"]
                    nameservers = ["127.0.0.1:%d"]
                    connect-timeout = "20s"
                    [[site]]
                    [[site.route]]
                    path = "/*"
                    proxy = "app"
                    """
                            .formatted(behind.port(), names.getLocalPort());
            try (Running running = Running.of(folder, TransportKind.NIO, proxy)) {
                assertEquals("the site", Client.get(running.port(), "/").body());
                names.close();
                answering.join();
                running.reload(proxy.replace("20s", "2s"));
                assertEquals("the site", Client.get(running.port(), "/").body());
            }
        } finally {
            names.close();
        }
    }

    /** Responds to each query for an address of IPv4 with 127.0.0.1, to others with none. */
    private static void answer(DatagramSocket names) {
        try {
            for (var query = new DatagramPacket(new byte[512], 512); ; query.setLength(512)) {
                names.receive(query);
                int length = query.getLength();
                boolean isA = query.getData()[length - 3] == 1; // of type and class, the last
                ByteBuffer response = ByteBuffer.allocate(length + 16);
                response.put(query.getData(), 0, length);
                response.putShort(2, (short) 0x8180).putShort(6, (short) (isA ? 1 : 0));
                if (isA) {
                    response.putShort((short) 0xc00c).putShort((short) 1).putShort((short) 1);
                    response.putInt(60).putShort((short) 4).putInt(0x7f000001);
                }
                byte[] bytes = response.array();
                names.send(
                        new DatagramPacket(bytes, response.position(), query.getSocketAddress()));
            }
        } catch (IOException e) {
            // it is closed
        }
    }
}
