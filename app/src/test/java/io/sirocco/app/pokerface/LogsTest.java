// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.pokerface;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.app.Client;
import io.sirocco.app.Running;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.OnEachTransport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The old server wrote two lines for each file at its usual level, without an address and a time.
 * Here a request is one line of the access log, and the level of the server's own log may be
 * changed while it runs.
 */
@OnEachTransport
class LogsTest {
    private static final String TOML =
            """
            [[listen]]
            address = "127.0.0.1:0"
            [[site]]
            root = "site"
            """;

    @Parameter TransportKind transport;
    @TempDir Path folder;

    @BeforeEach
    void make() throws IOException {
        Files.createDirectory(folder.resolve("site"));
        Files.writeString(folder.resolve("site/page"), "page");
    }

    @Test
    void aHundredRequestsAreAHundredLinesEachWithAnIdOfItsOwn() throws Exception {
        String toml = "[access-log]\nfile = \"access.log\"\n" + TOML;
        try (var running = Running.of(folder, transport, toml)) {
            for (int i = 0; i < 10; i++) {
                try (var client = new Client(running.port())) {
                    for (int k = 0; k < 10; k++) {
                        client.ask("GET", (k == 9 ? "/none?" : "/page?") + i + k);
                    }
                }
            }
        }
        List<String> lines = Files.readAllLines(folder.resolve("access.log"));
        var ids = new HashSet<String>();
        var targets = new HashSet<String>();
        for (String line : lines) {
            JsonNode entry = new JsonMapper().readTree(line);
            ids.add(entry.get("id").asString());
            String target = entry.get("target").asString();
            targets.add(target);
            assertEquals("127.0.0.1", entry.get("remote").asString());
            assertEquals(target.startsWith("/none") ? 404 : 200, entry.get("status").asInt());
            assertTrue(entry.get("ms").asDouble() >= 0, line);
        }
        assertEquals(100, lines.size());
        assertEquals(100, targets.size());
        assertEquals(100, ids.size());
        assertFalse(ids.contains(""));
    }

    @Test
    void theLevelOfTheLogIsChangedAtRunTime() throws Exception {
        Path log = folder.resolve("server.log");
        String info = "[log]\nfile = \"server.log\"\n" + TOML;
        String error = "[log]\nfile = \"server.log\"\nlevel = \"error\"\n" + TOML;
        try (var running = Running.of(folder, transport, info)) {
            assertEquals(0, lines(log, "reloaded"));
            running.reload("# changed\n" + info);
            assertEquals(1, lines(log, "reloaded"));
            running.reload(error);
            running.reload("# changed\n" + error);
            assertEquals(1, lines(log, "reloaded"));
            Client.get(running.port(), "/page");
            running.reload(info);
            assertEquals(2, lines(log, "reloaded"));
            assertEquals(0, lines(log, "/page"), "requests are no lines of this log");
            running.reload(TOML); // for other tests: to standard error again
            assertEquals(2, lines(log, "reloaded"));
        }
    }

    @Test
    void aLogThatWasMovedAwayIsOpenedAnewByAReload() throws Exception {
        Path log = folder.resolve("server.log");
        String toml = "[log]\nfile = \"server.log\"\n" + TOML;
        try (var running = Running.of(folder, transport, toml)) {
            running.reload("# changed\n" + toml);
            Files.move(log, folder.resolve("server.log.1"));
            running.reload(toml);
            assertEquals(1, lines(folder.resolve("server.log.1"), "reloaded"));
            assertEquals(1, lines(log, "reloaded"));
            running.reload(TOML);
        }
    }

    @Test
    void aLogThatCannotBeWrittenIsRefusedAndAllStays() throws Exception {
        Path log = folder.resolve("server.log");
        String toml = "[log]\nfile = \"server.log\"\n" + TOML;
        Files.createDirectory(folder.resolve("taken"));
        try (var running = Running.of(folder, transport, toml)) {
            String said = running.refuses("[log]\nfile = \"taken\"\n" + TOML);
            assertTrue(said.contains("taken"), said);
            String inUse = "[[listen]]\naddress = \"192.0.2.1:1\"\n[[site]]\nroot = \"site\"\n";
            running.refuses("[log]\nlevel = \"error\"\n" + inUse);
            running.reload("# changed\n" + toml);
            assertEquals(1, lines(log, "reloaded"));
            running.reload(TOML);
        }
    }

    private static long lines(Path log, String word) throws IOException {
        return Files.readAllLines(log).stream().filter(line -> line.contains(word)).count();
    }
}
