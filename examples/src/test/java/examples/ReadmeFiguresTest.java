// SPDX-License-Identifier: Apache-2.0
package examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The table of figures in the README is generated from docs/performance.md, which a race generates:
 * the first cell of a row is the title of a section there, a column is one of its servers, and a
 * cell the CPU time of that server as a multiple of the floor's. {@code -Dreadme.accept=true}
 * writes the table anew; without it the test compares.
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
        List<String> readme = new ArrayList<>(lines("README.md"));
        int head = 0;
        while (!isTitle(readme.get(head))) head++;
        List<String> servers = cells(readme.get(head));
        Map<String, Map<String, String>> race = race();
        int row = head + 2;
        for (; readme.get(row).startsWith("|"); row++) {
            String title = cells(readme.get(row)).getFirst();
            Map<String, String> section = race.get(title);
            assertTrue(section != null, "docs/performance.md has no section " + title);
            var cells = new ArrayList<>(List.of(title));
            for (String server : servers.subList(1, servers.size())) {
                cells.add(section.getOrDefault(SERVERS.get(server), "-"));
            }
            String quoted = "| " + String.join(" | ", cells) + " |";
            if (Boolean.getBoolean("readme.accept")) readme.set(row, quoted);
            assertEquals(quoted, readme.get(row));
        }
        assertFalse(row == head + 2, "the README has no figures");
        if (Boolean.getBoolean("readme.accept")) {
            Files.write(Snippets.TOP.resolve("README.md"), readme);
        }
    }

    private static boolean isTitle(String line) {
        return line.startsWith("|") && cells(line).contains("Helidon");
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

    private static List<String> cells(String line) {
        String inner = line.substring(1, line.lastIndexOf('|'));
        return Arrays.stream(inner.split("\\|")).map(String::strip).toList();
    }

    private static List<String> lines(String file) throws IOException {
        return Files.readAllLines(Snippets.TOP.resolve(file));
    }
}
