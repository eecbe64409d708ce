// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * jtoml says what a text means, Outline where it stands, and Jackson reads what jtoml rejects: do
 * they see the same?
 */
class OutlineTest {

    /** A text that jtoml accepts is read without Jackson, which would read the same. */
    @Test
    void bothReadersOfTomlUnderstandTheSame() throws Exception {
        readWithBoth(600);
    }

    @Tag("heavy")
    @Test
    void bothReadersOfTomlUnderstandTheSameForLonger() throws Exception {
        readWithBoth(6_000);
    }

    private static void readWithBoth(int times) throws Exception {
        var random = new Random(7);
        List<String> texts = golden();
        int accepted = 0;
        for (int i = 0; i < times; i++) {
            String golden = texts.get(random.nextInt(texts.size()));
            String text =
                    switch (i % 3) {
                        case 0 -> golden;
                        case 1 -> broken(golden, random);
                        default -> new Written(random).document();
                    };
            Source source = Source.of("case", Path.of(""), text);
            Optional<Node.Fields> read = Toml.parse(source);
            if (read.isEmpty()) continue;
            accepted++;
            var report = new Report();
            Node.Fields again = TomlDiagnosis.read(source, report);
            assertFalse(report.hasErrors(), () -> text + problems(report));
            assertEquals(again.toString(), read.get().toString(), text);
        }
        assertTrue(accepted > times / 4, "accepted: " + accepted);
    }

    /** jtoml 1.5.1 reads each of these, though it is no TOML 1.0 or means something else. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "h = { x.a = '1', x = '2' }",
                "h = { x = '2', x.a = '1' }",
                "[[a.b.c]]\n[a]\nb.a=true\n[a.b]",
                "a = 0xffffffffffffffff",
                "a = 0b1111111111111111111111111111111111111111111111111111111111111111",
                "'a\u0001b' = 1",
                "\"\\u\uff11\uff12\uff13\uff14\" = 1",
                "a = \"\"\"b\\\n \" c\"\"\"",
                "a = 1.0f",
                "a = 1E1.",
                "a = [1e3+]",
                "a = \"\"\"\r\nb\r\n\"\"\"",
            })
    void whatJtomlReadsWronglyIsLeftToJackson(String text) {
        assertEquals(Optional.empty(), Toml.parse(Source.of("case", Path.of(""), text)));
    }

    @Test
    void aTableOfThousandsOfKeysIsLeftToJackson() {
        var text = new StringBuilder();
        for (int i = 0; i < 20_000; i++) text.append("k").append(i).append("=1\n");
        var report = new Report();
        Source source = Source.of("case", Path.of(""), text.toString());
        assertEquals(Optional.empty(), Toml.parse(source));
        assertEquals(20_000, Toml.read(source, report).all().size());
    }

    @Test
    void whatIsCommonInFilesIsReadWithoutJackson() {
        String text =
                """
                # a comment
                a = "text" # another
                b = 1_000
                c = [1, 'two', { d = true }, # in a list
                ]
                [e.'f g']
                h = { i = [], j."k l" = -5 }
                [[m]]
                n = "a\\tb ż"
                [[m]]
                n = \"""
                lines\"""
                """;
        assertTrue(Toml.parse(Source.of("case", Path.of(""), text)).isPresent());
    }

    @Test
    void everyKeyAndValueStandsWhereItIsSaidTo() throws Exception {
        int checked = 0;
        for (String text : golden()) {
            var report = new Report();
            Source source = Source.of("case", Path.of(""), text);
            checked += check(Toml.read(source, report), text);
        }
        assertTrue(checked > 300, "values: " + checked);
    }

    @Test
    void alsoInTextsThatNobodyWouldWrite() {
        var random = new Random(4);
        for (int i = 0; i < 2_000; i++) {
            String text = new Written(random).document();
            var report = new Report();
            Node.Fields fields = Toml.read(Source.of("random", Path.of(""), text), report);
            assertFalse(report.hasErrors(), () -> text + problems(report));
            check(fields, text);
        }
    }

    @Test
    void brokenTextsAreReportedAndNothingElse() throws Exception {
        readBroken(250);
    }

    @Tag("heavy")
    @Test
    void manyBrokenTextsAreReportedAndNothingElse() throws Exception {
        readBroken(5_000);
    }

    private static void readBroken(int times) throws Exception {
        var random = new Random(5);
        List<String> texts = golden();
        for (int i = 0; i < times; i++) {
            String text = broken(texts.get(random.nextInt(texts.size())), random);
            assertDoesNotThrow(
                    () -> {
                        try {
                            Read.read(text, Path.of("").toAbsolutePath(), Overrides.NONE);
                        } catch (InvalidConfiguration invalid) {
                            assertFalse(invalid.problems().isEmpty());
                        }
                    },
                    text);
        }
    }

    private static String problems(Report report) {
        try {
            report.throwIfErrors();
            return "";
        } catch (InvalidConfiguration invalid) {
            return invalid.getMessage();
        }
    }

    private static List<String> golden() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("src/test/resources/config"))) {
            var texts = new ArrayList<String>();
            for (Path file : files.filter(f -> f.toString().endsWith(".toml")).toList()) {
                String text = Files.readString(file, StandardCharsets.ISO_8859_1);
                if (text.length() < 2_000) texts.add(text);
            }
            return texts;
        }
    }

    /** The text at each place must read as the value that was made of it. */
    private static int check(Node node, String text) {
        SourcePosition position = node.position();
        String piece = position.from() < 0 ? "" : text.substring(position.from(), position.to());
        switch (node) {
            case Node.Fields(var fields, _) -> {
                int count = 0;
                for (var field : fields.entrySet()) {
                    SourcePosition key = field.getValue().key();
                    String name = text.substring(key.from(), key.to());
                    boolean quoted = name.startsWith("\"") || name.startsWith("'");
                    String plain = quoted ? Escapes.decoded(text, key.from(), key.to()) : name;
                    assertEquals(field.getKey(), plain, text);
                    count += check(field.getValue().value(), text);
                }
                return count;
            }
            case Node.Items(var items, _) -> {
                return items.stream().mapToInt(item -> check(item, text)).sum();
            }
            case Node.Text(String value, _) -> {
                boolean lines = piece.startsWith("\"\"\"") || piece.startsWith("'''");
                if (!lines) assertEquals(value, Escapes.decoded(piece, 0, piece.length()), text);
                assertTrue(piece.endsWith(piece.substring(0, 1)), text);
            }
            case Node.Whole(long value, _) ->
                    assertEquals(value, Long.decode(piece.replace("_", "")), text);
            case Node.Flag(boolean value, _) -> assertEquals(String.valueOf(value), piece, text);
            case Node.Other _ -> assertFalse(piece.isBlank(), text);
        }
        return 1;
    }

    private static String broken(String text, Random random) {
        var broken = new StringBuilder(text);
        String pieces = "\"'[]{}=,.#\\\n\r\t \u00e9\u0000\ud83d0aZ";
        for (int i = 0; i <= random.nextInt(3); i++) {
            int at = random.nextInt(broken.length() + 1);
            char c = pieces.charAt(random.nextInt(pieces.length()));
            switch (random.nextInt(3)) {
                case 0 -> broken.insert(at, c);
                case 1 -> broken.setLength(at);
                default -> {
                    if (at < broken.length()) broken.setCharAt(at, c);
                }
            }
        }
        return broken.toString();
    }

    /** Writes valid TOML in its odder forms; each key only once. */
    private static final class Written {
        private final Random random;
        private final StringBuilder out = new StringBuilder();
        private int keys;

        Written(Random random) {
            this.random = random;
        }

        String document() {
            lines();
            for (int table = random.nextInt(4); table > 0; table--) {
                String name = key() + (random.nextBoolean() ? "" : " . " + key());
                boolean list = random.nextBoolean();
                for (int i = list ? 1 + random.nextInt(3) : 1; i > 0; i--) {
                    out.append(list ? "[[" : "[").append(name).append(list ? "]]" : "]");
                    out.append(any(" # [x]", "", "\t")).append('\n');
                    lines();
                    if (list) out.append("[" + name + "." + key() + "]\n" + key() + "=1\n");
                }
            }
            return out.toString();
        }

        private void lines() {
            for (int i = random.nextInt(4); i > 0; i--) {
                out.append(any("", "  ", "\t", "\n", "# a = \"\n"));
                out.append(key());
                if (random.nextInt(4) == 0) out.append(any(".", " . ")).append(key());
                out.append(any("=", " = ", "\t="));
                value(3);
                out.append(any("\n", " # \"x\" ]\n", "\r\n"));
            }
        }

        private String key() {
            String name = "k" + keys++;
            return any(
                    name, "\"" + name + " =.]\"", "'" + name + "#['", "\"\\u00e9\\t" + name + "\"");
        }

        private void value(int depth) {
            switch (random.nextInt(depth == 0 ? 6 : 8)) {
                case 0 -> out.append(random.nextInt(1000));
                case 1 -> out.append(any("true", "false", "1979-05-27 07:32:00", "-1.5e3", "0x1F"));
                case 2 ->
                        out.append(any("\"a\\\"b # ]\"", "\"\"", "\"\\\\\"", "\"\\U0001F600 = \""));
                case 3 -> out.append(any("'a\\'", "''", "'\"'", "'}]'"));
                case 4 ->
                        out.append(
                                any(
                                        "\"\"\"\na\n\"b\" \\\n  c\"\"\"",
                                        "\"\"\"x\"\"\"\"",
                                        "\"\"\"\"\"\""));
                case 5 -> out.append(any("'''\na'b''c\n'''", "''''x'''", "''''''"));
                case 6 -> {
                    out.append("[");
                    for (int i = random.nextInt(4); i > 0; i--) {
                        out.append(any("", " ", "\n # ], \"\n"));
                        value(depth - 1);
                        out.append(any("", "\n", " ")).append(i > 1 ? "," : any("", ",\n"));
                    }
                    out.append("]");
                }
                default -> {
                    out.append("{ ");
                    for (int i = random.nextInt(3); i > 0; i--) {
                        out.append(key()).append(any(" = ", "="));
                        value(0);
                        if (i > 1) out.append(any(", ", ","));
                    }
                    out.append(" }");
                }
            }
        }

        private String any(String... texts) {
            return texts[random.nextInt(texts.length)];
        }
    }
}
