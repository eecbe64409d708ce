// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each test that docs/from-opengr8on.md names is there, and each row names one. */
class FromOpenGr8onPageTest {
    private static final Path PAGE = Path.of("..", "docs", "from-opengr8on.md");
    private static final Pattern NAMED = Pattern.compile("`([A-Z]\\w+Test)?\\.?([a-z]\\w{6,})?`");
    private static final List<String> FEATURES =
            List.of(
                    "Crypto",
                    "Discovery",
                    "Temporary key at once",
                    "SET_KEY",
                    "SET_IP",
                    "RESET",
                    "LUA call",
                    "checkAlive",
                    "Error matrix",
                    "TFTP",
                    "Measurements",
                    "clientRegister",
                    "Lua sandbox",
                    "Main loop",
                    "Objects",
                    "Storage",
                    "RemoteCLU",
                    "MQTT/HA",
                    ".omp import",
                    "Missing objects",
                    "Fortified mode",
                    "Speed");

    private record Row(String name, String done, String tests) {}

    @Test
    void hasEveryFeatureAndEveryDefect() {
        assertEquals(FEATURES, rows("## Features, row by row").stream().map(Row::name).toList());
        List<Row> confirmed = rows("### Confirmed by running");
        for (int number = 1; number <= 10; number++) {
            assertTrue(confirmed.get(number - 1).name().startsWith(number + " "));
        }
        assertEquals(10, confirmed.size());
        assertEquals(9, rows("### Read in the code").size());
        assertEquals(7, rows("### Not implemented in OpenGr8on").size());
        assertEquals(13, rows("### Security").size());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "## Features, row by row",
                "### Confirmed by running",
                "### Read in the code",
                "### Not implemented in OpenGr8on",
                "### Security"
            })
    void namesTestsThatExist(String heading) throws IOException {
        Map<String, String> sources = sources();
        for (Row row : rows(heading)) {
            assertFalse(row.done().isBlank(), row::toString);
            if (row.name().equals("Speed")) {
                continue; // no test states a rate
            }
            int named = 0;
            String type = null; // a method without a class is one of the class before it
            for (MatchResult each : NAMED.matcher(row.tests()).results().toList()) {
                String method = each.group(2);
                type = each.group(1) == null ? type : each.group(1);
                String source = sources.get(type);
                assertNotNull(source, () -> "no such class in " + row);
                assertTrue(
                        method == null || isTest(source, method),
                        () -> method + " is no test in " + row);
                named++;
            }
            assertTrue(named > 0, () -> "no test in " + row);
            assertEquals(row.tests().chars().filter(c -> c == '`').count(), 2 * named, row::tests);
        }
    }

    /** Whether a method has an annotation of a test; the formatter leaves no empty line between. */
    private static boolean isTest(String source, String method) {
        int at = source.indexOf("void " + method + "(");
        if (at < 0) {
            return false;
        }
        String before = source.substring(source.lastIndexOf("\n\n", at), at);
        return before.contains("@Test\n") || before.contains("@ParameterizedTest\n");
    }

    /** Returns the rows of the table under a heading. */
    private static List<Row> rows(String heading) {
        String page = read(PAGE);
        int from = page.indexOf("\n" + heading + "\n");
        assertTrue(from >= 0, heading);
        return page.substring(from + 1)
                .lines()
                .skip(1)
                .takeWhile(line -> !line.startsWith("#"))
                .filter(line -> line.startsWith("| "))
                .skip(1)
                .map(line -> line.split(" \\| "))
                .map(
                        cells -> {
                            assertEquals(3, cells.length, String.join(" | ", cells));
                            return new Row(cells[0].substring(2), cells[1], cells[2]);
                        })
                .toList();
    }

    /** Returns the sources of all test classes by their names. */
    private static Map<String, String> sources() throws IOException {
        var sources = new HashMap<String, String>();
        for (String module : new String[] {"home", "app"}) {
            try (Stream<Path> all = Files.walk(Path.of("..", module, "src", "test", "java"))) {
                all.filter(path -> path.toString().endsWith("Test.java"))
                        .forEach(
                                path ->
                                        sources.put(
                                                path.getFileName().toString().replace(".java", ""),
                                                read(path)));
            }
        }
        return sources;
    }

    private static String read(Path path) {
        try {
            return Files.readString(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
