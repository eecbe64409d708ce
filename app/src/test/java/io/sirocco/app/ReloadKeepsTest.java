// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.app.config.Configuration;
import io.sirocco.app.config.InvalidConfiguration;
import io.sirocco.app.config.Overrides;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A reload takes nothing from what it does not change. */
@Timeout(60)
class ReloadKeepsTest {
    private static final String BEGIN =
            """
            [[listen]]
            address = "127.0.0.1:0"
            [[site]]
            root = "site"
            cache-check = "1h"
            """;
    private static final String LIMIT = "rate-limit = { requests = 1, per = \"1h\", burst = 2 }\n";

    @TempDir Path folder;
    private Running running;

    private Running serve(String toml) throws Exception {
        Files.createDirectories(folder.resolve("site"));
        Files.writeString(folder.resolve("site/index.html"), "home");
        Files.writeString(folder.resolve("site/a.txt"), "a".repeat(4000));
        running = Running.of(folder, TransportKind.AUTO, toml);
        return running;
    }

    @AfterEach
    void stop() {
        if (running != null) running.close();
    }

    private int status(String path) throws IOException {
        return Client.get(running.port(), path).status();
    }

    @Test
    void whoHasUsedUpHisRequestsHasNoNewOnesByAReload() throws Exception {
        serve(BEGIN + LIMIT);
        assertEquals(200, status("/"));
        assertEquals(200, status("/"));
        assertEquals(429, status("/"));
        running.reload(BEGIN + LIMIT);
        assertEquals(429, status("/"), "the same file");
        running.reload("# a line before all others\n" + BEGIN + "charset = \"\"\n" + LIMIT);
        assertEquals(429, status("/"), "the limit stands elsewhere");
        running.reload(BEGIN + LIMIT.replace("burst = 2", "burst = 3"));
        assertEquals(200, status("/"), "another limit");
    }

    @Test
    void limitsThatSayTheSameStayApart() throws Exception {
        String routes =
                """
                [[site.route]]
                path = "/a.txt"
                rate-limit = { requests = 1, per = "1h", burst = 2 }
                [[site.route]]
                path = "/index.html"
                rate-limit = { requests = 1, per = "1h", burst = 2 }
                """;
        serve(BEGIN + routes);
        assertEquals(200, status("/a.txt"));
        assertEquals(200, status("/a.txt"));
        assertEquals(429, status("/a.txt"));
        running.reload("\n\n" + BEGIN + routes);
        assertEquals(429, status("/a.txt"));
        assertEquals(200, status("/index.html"));
    }

    @Test
    void filesThatHaveChangedAreSeenWhateverTheCacheKnows() throws Exception {
        serve(BEGIN);
        assertEquals("home", Client.get(running.port(), "/").body());
        Files.writeString(folder.resolve("site/index.html"), "changed");
        assertEquals("home", Client.get(running.port(), "/").body(), "for an hour");
        running.reload(BEGIN + "hidden-files = false\n");
        assertEquals("changed", Client.get(running.port(), "/").body());
    }

    @Test
    void filesAreServedBehindManyReloads() throws Exception {
        serve(BEGIN);
        for (int i = 0; i < 20; i++) {
            running.reload(BEGIN + (i % 2 == 0 ? "charset = \"\"\n" : "charset = \"utf-8\"\n"));
            assertEquals(4000, Client.get(running.port(), "/a.txt").body().length());
            var zipped = Client.get(running.port(), "/a.txt", "Accept-Encoding: gzip");
            assertEquals("gzip", zipped.field("Content-Encoding"));
        }
        assertTrue(running.refuses(BEGIN + "root = 1\n").contains("root"));
        assertEquals(200, status("/a.txt"));
    }

    /** What a running server still does otherwise is told again until it is started anew. */
    @Test
    void whatNeedsAStartIsComparedWithWhatRuns() throws Exception {
        Configuration started =
                read("[server]\nloops = 2\n[limits]\nmax-connections-per-loop = 5\n");
        Configuration other = read("[server]\nloops = 3\n[limits]\nmax-connections-per-loop = 5\n");
        assertEquals(List.of("server.loops"), started.needsStart(other));
        Configuration now = started.reloaded(other);
        assertEquals(List.of("server.loops"), now.needsStart(other), "it was only read");
        assertEquals(List.of(), now.needsStart(started), "and is as it was");
        Configuration live = read("[live]\non = true\nopen = true\n");
        Configuration slower = read("[live]\non = true\nopen = true\nping-interval = \"20s\"\n");
        assertEquals(
                List.of("server.loops", "limits.max-connections-per-loop"),
                started.needsStart(live));
        now = started.reloaded(live);
        assertTrue(now.needsStart(slower).contains("live.ping-interval"));
        assertTrue(now.reloaded(slower).needsStart(slower).contains("live.ping-interval"));
        Configuration history =
                read("[live]\non = true\nopen = true\nhistory = [{ rooms = \"a\" }]\n");
        assertTrue(now.needsStart(history).contains("live.history"));
        assertEquals(
                List.of(),
                now.reloaded(history).needsStart(now).stream()
                        .filter(it -> it.startsWith("live"))
                        .toList());
        Configuration admin = read("[admin]\naddress = \"127.0.0.1:9180\"\nhealth-open = false\n");
        assertEquals(List.of("admin.address", "admin.health-open"), read("").needsStart(admin));
        Configuration listening = read("[[listen]]\naddress = \":81\"\nbacklog = 5\n");
        now = started.reloaded(listening);
        assertFalse(now.needsStart(listening).toString().contains("backlog"), "bound so");
        Configuration more = read("[[listen]]\naddress = \":81\"\nbacklog = 6\n");
        assertTrue(now.reloaded(more).needsStart(more).contains("backlog of :81"));
    }

    /** The rest is taken up, and they wait for the next start. */
    @Test
    void protocolsOfAnAddressThatIsBoundStayAsTheyAre() throws Exception {
        serve(BEGIN);
        String other =
                "[proxies]\ntrusted = [\"127.0.0.1\"]\n[tls]\nself-signed = true\n"
                        + BEGIN.replace(":0\"\n", ":0\"\ntls = true\nproxy-protocol = true\n");
        running.reload(other + "[[site.route]]\npath = \"/new\"\nrespond = { status = 201 }\n");
        assertEquals(201, status("/new"), "without TLS, and without the header of a proxy");
        assertTrue(running.toString().contains("http://"), running.toString());
        assertEquals(
                List.of("tls of 127.0.0.1:0", "proxy-protocol of 127.0.0.1:0"),
                read(BEGIN).needsStart(read(other)));
        running.reload(BEGIN);
        assertEquals(200, status("/"));
        running.close();
        running = Running.of(folder, TransportKind.AUTO, other.replace("proxy-protocol", "#"));
        assertTrue(running.toString().contains("https://"), running.toString());
        running.reload(BEGIN); // no certificate any more
        assertTrue(running.toString().contains("https://"), running.toString());
        running.reload(BEGIN + "charset = \"\"\n");
        assertTrue(running.toString().contains("https://"), running.toString());
    }

    private Configuration read(String toml) throws IOException, InvalidConfiguration {
        Path file = folder.resolve("read.toml");
        Files.writeString(file, toml);
        return Configuration.load(file, Overrides.NONE);
    }

    @Test
    void aTokenThatIsNotThereIsMadeForItsOwner() throws Exception {
        String admin =
                """
                [admin]
                address = "127.0.0.1:0"
                token-file = "admin.token"
                """;
        serve(admin + BEGIN);
        Path token = folder.resolve("admin.token");
        assertEquals(
                "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(token)));
        String secret = Files.readString(token).strip();
        assertTrue(secret.length() >= 40, "its length");
        int port = running.adminPort();
        assertEquals(401, Client.get(port, "/metrics").status());
        assertEquals(200, Client.get(port, "/metrics", "Authorization: Bearer " + secret).status());
        running.reload(admin + BEGIN);
        assertEquals(secret, Files.readString(token).strip());
    }

    @Test
    void aTokenThatIsReplacedIsTheOnlyOneFromTheReloadOn() throws Exception {
        String toml =
                """
                [admin]
                address = "127.0.0.1:0"
                token-file = "admin.token"
                """
                        + BEGIN;
        Path file = folder.resolve("admin.token");
        String first = "the first token of them";
        Files.writeString(file, first);
        serve(toml);
        assertEquals(200, metrics(first));
        Files.writeString(file, "short");
        assertThrows(InvalidConfiguration.class, () -> running.reload(toml));
        assertEquals(200, metrics(first), "a reload applies all or nothing");
        String second = "the second token of them";
        Files.writeString(file, second);
        running.reload(toml);
        assertEquals(401, metrics(first));
        assertEquals(200, metrics(second));
    }

    private int metrics(String token) throws IOException {
        return Client.get(running.adminPort(), "/metrics", "Authorization: Bearer " + token)
                .status();
    }
}
