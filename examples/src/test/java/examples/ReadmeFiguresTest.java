// SPDX-License-Identifier: Apache-2.0
package examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The table of figures in the README quotes docs/performance.md, which a race generates: the first
 * cell of a row is the title of a section there, a column is one of its servers, and a cell the CPU
 * time of that server as a multiple of the floor's.
 */
class ReadmeFiguresTest {
    private static final Map<String, String> SERVERS =
            Map.of(
                    "Sirocco", "sirocco",
                    "nginx", "nginx",
                    "hyper", "hyper",
                    "Netty, io_uring", "netty-uring",
                    "fasthttp", "fasthttp",
                    "Helidon", "helidon");

    @Test
    void figuresAreThoseOfTheRace() throws IOException {
        List<List<String>> table = rows(lines("README.md")).toList();
        int head = 0;
        while (!table.get(head).contains("Helidon")) head++;
        List<String> servers = table.get(head);
        Map<String, Map<String, String>> race = race();
        int compared = 0;
        for (List<String> row : table.subList(head + 2, table.size())) {
            if (row.size() != servers.size()) break;
            Map<String, String> section = race.get(row.getFirst());
            assertTrue(section != null, "docs/performance.md has no section " + row.getFirst());
            for (int i = 1; i < servers.size(); i++) {
                String server = SERVERS.get(servers.get(i));
                assertEquals(section.getOrDefault(server, "-"), row.get(i), row + ": " + server);
                compared++;
            }
        }
        assertFalse(compared == 0, "the README has no figures");
    }

    @Test
    void everyPageIsListed() throws IOException {
        String readme = String.join("\n", lines("README.md"));
        try (Stream<Path> pages = Files.list(Snippets.TOP.resolve("docs"))) {
            pages.map(page -> "docs/" + page.getFileName())
                    .filter(page -> page.endsWith(".md"))
                    .forEach(page -> assertTrue(readme.contains("(" + page + ")"), page));
        }
    }

    /** By title of a section: the column "× floor" by server. */
    private static Map<String, Map<String, String>> race() throws IOException {
        var race = new LinkedHashMap<String, Map<String, String>>();
        Map<String, String> section = new LinkedHashMap<>();
        for (String line : lines("docs/performance.md")) {
            if (line.startsWith("### ") && line.contains(": ")) {
                section = new LinkedHashMap<>();
                race.put(line.substring(line.indexOf(": ") + 2), section);
            } else if (line.startsWith("| ")) {
                List<String> cells = cells(line);
                if (cells.size() == 11) section.put(cells.getFirst(), cells.get(4));
            }
        }
        return race;
    }

    private static Stream<List<String>> rows(List<String> lines) {
        return lines.stream().filter(line -> line.startsWith("|")).map(ReadmeFiguresTest::cells);
    }

    private static List<String> cells(String line) {
        String inner = line.substring(1, line.lastIndexOf('|'));
        return Arrays.stream(inner.split("\\|")).map(String::strip).toList();
    }

    private static List<String> lines(String file) throws IOException {
        return Files.readAllLines(Snippets.TOP.resolve(file));
    }
}
