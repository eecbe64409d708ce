// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.life;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each test that docs/from-qurricane.md names is there, and each row names one or a deviation. */
final class FromQurricanePageTest {
    private static final Path PAGE = Path.of("..", "docs", "from-qurricane.md");
    private static final Pattern NAMED =
            Pattern.compile("`(?:heavy/)?([A-Z]\\w+Test)?\\.?([a-z]\\w+)?`");

    @Test
    void namesTestsThatExist() throws IOException {
        List<String> sources = sources();
        for (String row : rows()) {
            String last = row.substring(row.indexOf('|', 1));
            assertTrue(
                    last.contains("Test")
                            || last.contains("**Deviation**")
                            || last.contains("docs/")
                            || last.contains("`web`"),
                    row);
            NAMED.matcher(last)
                    .results()
                    .forEach(
                            named -> {
                                String type = named.group(1);
                                String method = named.group(2);
                                if (type != null || method != null && method.length() > 9) {
                                    assertTrue(exists(sources, type, method), row);
                                }
                            });
        }
    }

    @Test
    void hasEveryRow() throws IOException {
        assertEquals(40, rows().size());
    }

    private static boolean exists(List<String> sources, String type, String method) {
        return sources.stream()
                .anyMatch(
                        source ->
                                (type == null || source.contains("class " + type + " "))
                                        && (method == null
                                                || source.contains("void " + method + "(")));
    }

    private static List<String> rows() throws IOException {
        String page = Files.readString(PAGE);
        return page.substring(page.indexOf("## Acceptance"))
                .lines()
                .filter(line -> line.startsWith("| ") && !line.startsWith("| row "))
                .toList();
    }

    private static List<String> sources() throws IOException {
        try (Stream<Path> all = Files.walk(Path.of("src", "test", "java"))) {
            return all.filter(path -> path.toString().endsWith("Test.java"))
                    .map(FromQurricanePageTest::read)
                    .toList();
        }
    }

    private static String read(Path path) {
        try {
            return Files.readString(path);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
