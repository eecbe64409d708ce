// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** docs/from-fire-io.md names no test that there is not. */
class FromFireIoPageTest {
    private static final Map<String, String> SHORT =
            Map.of("D", "FireIoDefectsTest", "F", "FireIoFeaturesTest");

    /** A class, maybe in a package, and a test of it; or another test of the class before. */
    private static final Pattern NAME =
            Pattern.compile(
                    "`(?:(?:[a-z]+\\.)?(D|F|[A-Z]\\w*Test)(?:\\.(\\w+))?|([a-z]\\w{15,}))`");

    private static String source(String name) throws IOException {
        String file = SHORT.getOrDefault(name, name) + ".java";
        try (Stream<Path> all =
                Stream.concat(
                        Files.walk(Path.of("src/test/java")),
                        Files.walk(Path.of("../http/src/test/java")))) {
            Path found =
                    all.filter(path -> path.endsWith(file))
                            .findFirst()
                            .orElseThrow(() -> new AssertionError("there is no " + file));
            return Files.readString(found);
        }
    }

    @Test
    void whatItNamesIsThere() throws IOException {
        String source = "";
        String of = "";
        var seen = new TreeSet<String>();
        var names = NAME.matcher(Files.readString(Path.of("../docs/from-fire-io.md")));
        while (names.find()) {
            if (names.group(1) != null) {
                of = names.group(1);
                source = source(of);
            }
            String test = names.group(1) == null ? names.group(3) : names.group(2);
            if (test != null) {
                assertTrue(source.contains("void " + test + "("), of + " has no " + test);
                seen.add(test);
            }
        }
        assertTrue(seen.size() > 60, () -> "only " + seen);
    }
}
