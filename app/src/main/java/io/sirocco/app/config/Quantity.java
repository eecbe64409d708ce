// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses sizes and durations. */
final class Quantity {
    private static final Pattern SIZE = Pattern.compile("([0-9]{1,18})(B|KiB|MiB|GiB|TiB)?");
    private static final Pattern NEARLY_SIZE =
            Pattern.compile("([0-9]{1,18}) ?([kmgt])i?b?", Pattern.CASE_INSENSITIVE);
    private static final Pattern PERCENT = Pattern.compile("[0-9]{1,3}%");
    private static final long LEAST_MEMORY = 1 << 20;
    private static final Pattern TIME =
            Pattern.compile("([0-9]{1,9})(?:\\.([0-9]{1,3}))?(ms|s|m|h|d)");

    private Quantity() {}

    /** Parses a size in bytes: a number, or a string such as {@code "64KiB"}. */
    static long size(Node node) {
        if (node instanceof Node.Whole(long bytes, _)) return bytes;
        if (!(node instanceof Node.Text(String word, _))) {
            throw new ConfigError("must be a size, not " + node.kind(), sizes(""));
        }
        Matcher size = SIZE.matcher(word);
        if (!size.matches()) throw new ConfigError("is not a size: \"" + word + "\"", sizes(word));
        try {
            return Math.multiplyExact(Long.parseLong(size.group(1)), unit(size.group(2)));
        } catch (ArithmeticException e) {
            throw new ConfigError("is too large: \"" + word + "\"", sizes(""));
        }
    }

    /** Parses a size of memory: a size, or a share of the maximum heap such as {@code "25%"}. */
    static long memory(Node node) {
        long bytes;
        if (node instanceof Node.Text(String word, _) && PERCENT.matcher(word).matches()) {
            int percent = Integer.parseInt(word.substring(0, word.length() - 1));
            if (percent > 100) {
                throw new ConfigError(
                        "is larger than the heap: " + TomlText.value(node),
                        "write \"1%\" to \"100%\"");
            }
            bytes = Runtime.getRuntime().maxMemory() / 100 * percent;
            bytes = percent == 0 ? 0 : Math.max(bytes, LEAST_MEMORY);
        } else {
            bytes = size(node);
        }
        if (bytes < LEAST_MEMORY) {
            throw new ConfigError(
                    "is too small: " + TomlText.value(node),
                    "write 1MiB or more, or a share of the heap such as \"25%\"");
        }
        return bytes;
    }

    private static long unit(String name) {
        if (name == null) return 1;
        return switch (name) {
            case "KiB" -> 1L << 10;
            case "MiB" -> 1L << 20;
            case "GiB" -> 1L << 30;
            case "TiB" -> 1L << 40;
            default -> 1;
        };
    }

    private static String sizes(String word) {
        Matcher nearly = NEARLY_SIZE.matcher(word);
        return nearly.matches()
                ? "write \"" + nearly.group(1) + nearly.group(2).toUpperCase(Locale.ROOT) + "iB\""
                : "write a number of bytes, or a string such as \"64KiB\", \"16MiB\" or \"2GiB\"";
    }

    /** Returns a duration as it is written in a file. */
    static String text(Duration time) {
        long millis = time.toMillis();
        return millis % 1000 == 0 ? millis / 1000 + "s" : millis + "ms";
    }

    /** Parses a duration: a string such as {@code "500ms"}. */
    static Duration time(Node node) {
        String times = "write a string such as \"500ms\", \"10s\", \"5m\", \"24h\" or \"365d\"";
        if (node instanceof Node.Whole(long number, _)) {
            throw new ConfigError("needs a unit", "write \"" + number + "s\" for seconds");
        }
        if (!(node instanceof Node.Text(String word, _))) {
            throw new ConfigError("must be a duration, not " + node.kind(), times);
        }
        Matcher time = TIME.matcher(word);
        if (!time.matches()) throw new ConfigError("is not a duration: \"" + word + "\"", times);
        long millis =
                switch (time.group(3)) {
                    case "ms" -> 1L;
                    case "s" -> 1_000;
                    case "m" -> 60_000;
                    case "h" -> 3_600_000;
                    default -> 86_400_000;
                };
        return Duration.ofMillis(
                Long.parseLong(time.group(1)) * millis
                        + thousandths(time.group(2)) * millis / 1000);
    }

    /** Returns thousandths from at most three digits after the decimal point. */
    private static int thousandths(String digits) {
        return digits == null ? 0 : Integer.parseInt((digits + "00").substring(0, 3));
    }
}
