// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A table of messages in bytes; the notation is explained at its top. Immutable. */
final class SmugglingTable {
    private static final Pattern REPEATED = Pattern.compile("\\{(.)\\*(\\d+)}");
    private static final Pattern ESCAPE = Pattern.compile("~|\\\\(?:x([0-9a-f]{2})|([rnts0]))");

    private SmugglingTable() {}

    /** One row: what is tried, its bytes as ISO 8859-1, and the columns behind them. */
    record Row(String name, String bytes, List<String> columns) {
        @Override
        public String toString() {
            return name;
        }
    }

    static List<Row> read(String resource) {
        var rows = new ArrayList<Row>();
        String title = "";
        String template = "";
        for (String line : text(resource).lines().toList()) {
            if (line.startsWith("## ")) {
                title = line.substring(3, line.indexOf(": "));
                template = line.substring(line.indexOf(": ") + 2);
            } else if (!line.isBlank() && !line.startsWith("# ") && !line.equals("#")) {
                String[] columns = line.strip().split("\\s+\\|\\s*", -1);
                rows.add(
                        new Row(
                                title + ": " + columns[0],
                                bytes(template.replace("{}", columns[1])),
                                List.of(columns).subList(2, columns.length)));
            }
        }
        return rows;
    }

    private static String text(String resource) {
        try (InputStream in = SmugglingTable.class.getResourceAsStream(resource)) {
            return new String(in.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the bytes of a notation. */
    static String bytes(String notation) {
        String repeated =
                REPEATED.matcher(notation)
                        .replaceAll(m -> m.group(1).repeat(Integer.parseInt(m.group(2))));
        return ESCAPE.matcher(repeated).replaceAll(SmugglingTable::replacement);
    }

    /** Returns bytes in the notation, for a message of a test. */
    static String printed(String bytes) {
        var text = new StringBuilder();
        for (char c : bytes.replace("\r\n", "~").toCharArray()) {
            text.append(c > ' ' && c < 0x7F || c == ' ' ? "" + c : "\\x%02x".formatted((int) c));
        }
        return text.toString();
    }

    private static String replacement(MatchResult match) {
        String one =
                match.group(1) != null
                        ? Character.toString(Integer.parseInt(match.group(1), 16))
                        : match.group(2) == null
                                ? "\r\n"
                                : switch (match.group(2)) {
                                    case "r" -> "\r";
                                    case "n" -> "\n";
                                    case "t" -> "\t";
                                    case "s" -> " ";
                                    default -> "\0";
                                };
        return Matcher.quoteReplacement(one);
    }
}
