// SPDX-License-Identifier: Apache-2.0
package io.sirocco.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each of http-kit's issues in docs/ring.md has a test, which exists, or is a non-goal. */
final class KnownIssuesTest {
    private static final Path PAGE = Path.of("..", "docs", "ring.md");
    private static final Pattern NAME = Pattern.compile("`([\\w.-]+)`");
    private static final Pattern TYPE = Pattern.compile("([A-Z]\\w+Test)(?:\\.(\\w+))?");

    @Test
    void eachRowNamesTestsThatExistOrIsANonGoal() throws IOException {
        List<String> sources = sources();
        List<String> rows = rows();
        assertEquals(29, rows.size());
        for (String row : rows) {
            String[] cells = row.split("\\|");
            assertEquals(4, cells.length, row);
            List<String> names =
                    NAME.matcher(cells[3])
                            .results()
                            .map(found -> found.group(1))
                            .filter(name -> !name.startsWith("SO_"))
                            .toList();
            assertTrue(!names.isEmpty() || row.contains("**Non-goal**"), row);
            names.forEach(name -> assertTrue(exists(sources, name), name + " in " + row));
        }
    }

    private static boolean exists(List<String> sources, String name) {
        var type = TYPE.matcher(name);
        if (!type.matches()) {
            var test =
                    Pattern.compile("\\(deftest (\\^:\\w+ )*" + name + "\\s|void " + name + "\\(");
            return sources.stream().anyMatch(source -> test.matcher(source).find());
        }
        String method = type.group(2);
        return sources.stream()
                .anyMatch(
                        source ->
                                source.contains("class " + type.group(1) + " ")
                                        && (method == null
                                                || source.contains("void " + method + "(")));
    }

    private static List<String> rows() throws IOException {
        String section = Files.readString(PAGE).split("\n## http-kit's known issues\n")[1];
        return section.split("\n## ")[0]
                .lines()
                .filter(line -> line.startsWith("| ") && !line.startsWith("| issue "))
                .toList();
    }

    private static List<String> sources() throws IOException {
        var all = new ArrayList<String>();
        for (String folder :
                List.of(
                        "src/test",
                        "conformance/src/main",
                        "http-kit/src/test",
                        "../net/src/test",
                        "../http/src/test")) {
            try (Stream<Path> files = Files.walk(Path.of(folder))) {
                files.filter(file -> file.toString().matches(".*\\.(java|clj)"))
                        .map(KnownIssuesTest::read)
                        .forEach(all::add);
            }
        }
        return all;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
