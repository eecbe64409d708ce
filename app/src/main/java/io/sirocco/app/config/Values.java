// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Readers for the types of options: they convert nodes of a file to values. */
final class Values {
    private static final Duration LONGEST = Duration.ofDays(3650);

    /** Converts a node to a value. */
    interface Reader<T> {
        T read(Node node);
    }

    private Values() {}

    static boolean flag(Node node) {
        if (node instanceof Node.Flag(boolean flag, _)) return flag;
        throw new ConfigError("must be true or false, not " + node.kind(), "");
    }

    static Reader<Long> whole(long least, long most) {
        return node -> {
            if (node instanceof Node.Whole(long number, _)) {
                return within(number, node, least, most);
            }
            boolean quoted = node instanceof Node.Text(String text, _) && text.matches("\\d+");
            throw new ConfigError(
                    "must be a whole number, not " + node.kind(),
                    quoted ? "remove the quotes" : "");
        };
    }

    /** Reads a size in bytes: a number, or a string with a unit. */
    static Reader<Long> size(long least, long most) {
        return node -> within(Quantity.size(node), node, least, most);
    }

    private static long within(long value, Node given, long least, long most) {
        if (value >= least && value <= most) return value;
        String range = most == Long.MAX_VALUE ? least + " or more" : least + " to " + most;
        throw new ConfigError("is out of range: " + TomlText.value(given), "it must be " + range);
    }

    static Reader<Duration> time(Duration least) {
        return node -> {
            Duration time = Quantity.time(node);
            boolean isShort = time.compareTo(least) < 0;
            if (!isShort && time.compareTo(LONGEST) <= 0) return time;
            String what = isShort ? "is too short: " : "is longer than ten years: ";
            throw new ConfigError(what + TomlText.value(node), "");
        };
    }

    /** As {@link #time}, or zero, which switches off what would happen after that time. */
    static Reader<Duration> timeOrNone(Duration least) {
        Reader<Duration> time = time(Duration.ZERO);
        return node -> {
            Duration value = time.read(node);
            if (value.isZero() || value.compareTo(least) >= 0) return value;
            throw new ConfigError(
                    "is too short: " + TomlText.value(node),
                    "it must be " + least.toMillis() + "ms or more, or 0s for none");
        };
    }

    static String text(Node node) {
        if (node instanceof Node.Text(String text, _)) return text;
        boolean isOne = !(node instanceof Node.Items || node instanceof Node.Fields);
        throw new ConfigError(
                "must be a string, not " + node.kind(), isOne ? "put it in \"quotes\"" : "");
    }

    static <T> Reader<T> text(Texts.Words<T> words) {
        return node -> words.read(text(node));
    }

    /** Reads one of several words, each of which stands for a value. */
    static <T> Reader<T> oneOf(List<T> values, Function<T, String> label) {
        Map<String, T> byLabel = values.stream().collect(Collectors.toMap(label, value -> value));
        List<String> labels = values.stream().map(label).toList();
        return node -> {
            String text = text(node);
            T value = byLabel.get(text);
            if (value != null) return value;
            String near = Nearest.hint(text, labels);
            throw new ConfigError(
                    "cannot be \"" + text + "\"",
                    near.isEmpty() ? "write " + choices(labels) : near);
        };
    }

    static Reader<String> oneOf(List<String> words) {
        return oneOf(words, word -> word);
    }

    static <E extends Enum<E>> Reader<E> oneOf(Class<E> type) {
        return oneOf(Arrays.asList(type.getEnumConstants()), Values::label);
    }

    /** Returns the word for a constant in the file. */
    static String label(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private static String choices(List<String> labels) {
        List<String> quoted = labels.stream().map(label -> '"' + label + '"').toList();
        if (quoted.size() == 1) return quoted.getFirst();
        int last = quoted.size() - 1;
        return String.join(", ", quoted.subList(0, last)) + " or " + quoted.get(last);
    }

    /** Reads a list without duplicates. */
    static <T> Reader<List<T>> list(Reader<T> reader) {
        return node -> {
            if (!(node instanceof Node.Items(List<Node> items, _))) {
                boolean text = node instanceof Node.Text;
                throw new ConfigError(
                        "must be a list, not " + node.kind(),
                        text ? "write [" + TomlText.value(node) + "]" : "");
            }
            var values = new LinkedHashSet<T>();
            ConfigError first = null;
            for (Node item : items) {
                try {
                    if (!values.add(reader.read(item))) {
                        throw new ConfigError("contains " + TomlText.value(item) + " twice", "");
                    }
                } catch (ConfigError e) {
                    ConfigError why = e.at(item);
                    if (first == null) {
                        first = why;
                    } else {
                        first.addSuppressed(why);
                    }
                }
            }
            if (first != null) throw first;
            return List.copyOf(values);
        };
    }
}
