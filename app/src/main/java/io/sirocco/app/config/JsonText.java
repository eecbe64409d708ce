// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import io.sirocco.app.config.Section.Inner;
import io.sirocco.app.config.Section.Inners;
import io.sirocco.app.config.Section.Leaf;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Prints a configuration as JSON (RFC 8259), for programs: sizes in bytes, durations in seconds.
 * Used by one thread.
 */
final class JsonText {
    private static final int WIDEST = 100;

    private JsonText() {}

    static String of(Section top) {
        return object(top, "") + "\n";
    }

    private static String object(Section section, String indent) {
        var members = new ArrayList<String>();
        section.entries()
                .forEach(
                        (key, entry) ->
                                members.add(
                                        Escapes.quoted(key) + ": " + entry(entry, indent + "  ")));
        return enclosed("{", members, "}", indent);
    }

    private static String entry(Section.Entry entry, String indent) {
        return switch (entry) {
            case Leaf(_, Object value) -> value(value, indent);
            case Inner(Section section) -> object(section, indent);
            case Inners(List<Section> all) ->
                    enclosed(
                            "[",
                            all.stream().map(section -> object(section, indent + "  ")).toList(),
                            "]",
                            indent);
        };
    }

    private static String value(Object value, String indent) {
        return switch (value) {
            case Long number -> number.toString();
            case Boolean flag -> flag.toString();
            case Duration time ->
                    BigDecimal.valueOf(time.toMillis(), 3).stripTrailingZeros().toPlainString();
            case Optional<?> perhaps -> value(perhaps.isPresent() ? perhaps.get() : "", indent);
            case Enum<?> choice -> Escapes.quoted(Values.label(choice));
            case List<?> all ->
                    enclosed(
                            "[",
                            all.stream().map(item -> value(item, indent + "  ")).toList(),
                            "]",
                            indent);
            default -> Escapes.quoted(value.toString());
        };
    }

    /** On one line where it fits. */
    private static String enclosed(String open, List<String> parts, String close, String indent) {
        String line = open + String.join(", ", parts) + close;
        boolean tables = open.equals("{") && indent.length() < 4;
        if (parts.isEmpty() || !tables && line.length() < WIDEST && !line.contains("\n")) {
            return line;
        }
        String inner = "\n" + indent + "  ";
        return open + inner + String.join("," + inner, parts) + "\n" + indent + close;
    }
}
