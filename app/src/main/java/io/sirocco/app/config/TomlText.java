// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import io.sirocco.app.config.Section.Inner;
import io.sirocco.app.config.Section.Inners;
import io.sirocco.app.config.Section.Leaf;
import java.util.List;
import java.util.stream.Collectors;

/** Prints a configuration as TOML, which can be read again. Used by one thread. */
final class TomlText {
    private static final int WIDEST = 100;

    private final StringBuilder out = new StringBuilder();

    private TomlText() {}

    static String of(Section top) {
        var text = new TomlText();
        text.body(top, "");
        return text.out.toString();
    }

    /** Prints the options of a table, then its inner tables. */
    private void body(Section table, String path) {
        table.entries()
                .forEach(
                        (key, entry) -> {
                            String value = inOneLine(entry);
                            if (value != null) option(key, entry, value);
                        });
        table.entries()
                .forEach(
                        (key, entry) -> {
                            if (inOneLine(entry) == null) tables(path + bare(key), entry);
                        });
    }

    private void option(String key, Section.Entry entry, String value) {
        if (value.length() > WIDEST) value = inLines(entry, value);
        out.append(bare(key)).append(" = ").append(value).append('\n');
    }

    private void tables(String name, Section.Entry entry) {
        switch (entry) {
            case Inner(Section section) when section.entries().isEmpty() -> {}
            case Inner(Section section) -> table("[" + name + "]", section, name);
            case Inners(List<Section> all) ->
                    all.forEach(section -> table("[[" + name + "]]", section, name));
            case Leaf _ -> throw new AssertionError("an option has one line");
        }
    }

    private void table(String header, Section section, String name) {
        if (!out.isEmpty()) out.append('\n');
        out.append(header).append('\n');
        body(section, name + ".");
    }

    /** Returns the value after the =, or null for tables with a header of their own. */
    private static String inOneLine(Section.Entry entry) {
        return switch (entry) {
            case Leaf(Node toml, _) -> value(toml);
            case Inner(Section section) when section.inline() -> braces(section);
            case Inners(List<Section> all) when !all.isEmpty() && all.getFirst().inline() ->
                    all.stream().map(TomlText::braces).collect(Collectors.joining(", ", "[", "]"));
            case Inner _, Inners _ -> null;
        };
    }

    private static String inLines(Section.Entry entry, String otherwise) {
        List<String> items =
                switch (entry) {
                    case Leaf(Node.Items(var all, _), _) ->
                            all.stream().map(TomlText::value).toList();
                    case Inners(List<Section> all) -> all.stream().map(TomlText::braces).toList();
                    default -> List.of();
                };
        return items.isEmpty()
                ? otherwise
                : items.stream().collect(Collectors.joining(",\n    ", "[\n    ", ",\n]"));
    }

    private static String braces(Section section) {
        return section.entries().entrySet().stream()
                .map(entry -> bare(entry.getKey()) + " = " + inOneLine(entry.getValue()))
                .collect(Collectors.joining(", ", "{ ", " }"));
    }

    /** Returns a value on one line. */
    static String value(Node node) {
        return switch (node) {
            case Node.Text(String text, _) -> Escapes.quoted(text);
            case Node.Whole(long number, _) -> Long.toString(number);
            case Node.Flag(boolean flag, _) -> Boolean.toString(flag);
            case Node.Items(List<Node> all, _) ->
                    all.stream().map(TomlText::value).collect(Collectors.joining(", ", "[", "]"));
            case Node.Fields _, Node.Other _ -> throw new AssertionError("no option's value");
        };
    }

    private static String bare(String key) {
        return key.matches("[A-Za-z0-9_-]+") ? key : Escapes.quoted(key);
    }
}
