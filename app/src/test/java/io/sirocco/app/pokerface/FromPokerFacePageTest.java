// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.pokerface;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.app.Running;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each test that docs/from-pokerface.md names is there, each row names one or what it waits for,
 * and its configuration can be used.
 */
final class FromPokerFacePageTest {
    private static final Path PAGE = Path.of("..", "docs", "from-pokerface.md");
    private static final Pattern NAMED = Pattern.compile("`([A-Z]\\w+Test)?\\.?([a-z]\\w{9,})?`");
    private static final int ROWS = 46;
    private static final int SAMPLES = 12;
    private static final int DEFECTS = 16; // some stand together

    @Test
    void namesTestsThatExist() throws IOException {
        Map<String, String> sources = sources();
        for (String row : rows()) {
            String proof = row.substring(row.indexOf('|', 1));
            assertTrue(
                    proof.contains("Test")
                            || proof.contains("comes with the scripts")
                            || proof.contains("performance.md")
                            || proof.contains("**Deviation**"),
                    row);
            String type = null; // a method without a class is of the class before it
            for (MatchResult named : NAMED.matcher(proof).results().toList()) {
                String method = named.group(2);
                if (named.group(1) != null) type = named.group(1);
                if (type == null) continue;
                String source = sources.get(type);
                assertTrue(source != null, () -> "no such class in: " + row);
                assertTrue(method == null || source.contains("void " + method + "("), row);
            }
        }
    }

    @Test
    void hasEveryRowAndEveryDefect() throws IOException {
        assertEquals(ROWS, rows("## Acceptance").size());
        assertEquals(DEFECTS, rows("## Defects").size());
        assertEquals(SAMPLES, rows("### Sample sites").size());
    }

    @Tag("peers")
    @Test
    void itsConfigurationCanBeUsed(@TempDir Path folder) throws Exception {
        Authority authority = Authority.in(folder);
        authority.signs("example");
        authority.openssl(
                "pkcs12 -export -in example.pem -inkey example.key -name example -out keys.p12 -passout pass:secret");
        Files.writeString(folder.resolve("keys.password"), "secret\n");
        Files.createDirectory(folder.resolve("public"));
        Files.writeString(folder.resolve("public/a.foo"), "foo");
        String page = Files.readString(PAGE);
        int from = page.indexOf("```toml\n") + 8;
        String toml =
                page.substring(from, page.indexOf("```", from))
                        .replace("0.0.0.0:443", "127.0.0.1:0");
        try (var running = Running.of(folder, TransportKind.AUTO, toml)) {
            String said =
                    Tool.CURL.does(
                            folder,
                            "-sS",
                            "--max-time",
                            "20",
                            "--cacert",
                            "authority.pem",
                            "-w",
                            " %{content_type}",
                            "https://localhost:%d/a.foo".formatted(running.port()));
            assertEquals("foo text/x-foo; charset=utf-8", said);
        }
    }

    private static List<String> rows() throws IOException {
        return Stream.of("### Sample sites", "## Acceptance", "## Defects")
                .flatMap(of -> rows(of).stream())
                .toList();
    }

    /** Of the table under a heading. */
    private static List<String> rows(String heading) {
        String page = read(PAGE);
        return page.substring(page.indexOf(heading))
                .lines()
                .skip(1)
                .takeWhile(line -> !line.startsWith("## "))
                .filter(line -> line.startsWith("| "))
                .filter(line -> !line.matches("\\| (row|defect|sample of PokerFace) \\|.*"))
                .toList();
    }

    /** Of all test classes of the modules below this one, by their names. */
    private static Map<String, String> sources() throws IOException {
        var sources = new HashMap<String, String>();
        for (String module : new String[] {"net", "http", "web", "script", "app", "examples"}) {
            try (Stream<Path> all = Files.walk(Path.of("..", module, "src", "test", "java"))) {
                for (Path path : all.filter(p -> p.toString().endsWith("Test.java")).toList()) {
                    String name = path.getFileName().toString().replace(".java", "");
                    sources.merge(name, read(path), String::concat);
                }
            }
        }
        return sources;
    }

    private static String read(Path path) {
        try {
            return Files.readString(path);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
