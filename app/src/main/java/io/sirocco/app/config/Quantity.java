// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses sizes and durations. Every default is parsed while a server starts, so regular expressions
 * are used only for messages.
 */
final class Quantity {
    private static final long LEAST_MEMORY = 1 << 20;

    private Quantity() {}

    /** Parses a size in bytes: a number, or a string such as {@code "64KiB"}. */
    static long size(Node node) {
        if (node instanceof Node.Whole(long bytes, _)) return bytes;
        if (!(node instanceof Node.Text(String word, _))) {
            throw new ConfigError("must be a size, not " + node.kind(), sizes(""));
        }
        int digits = endOfDigits(word, 0, 18);
        long unit = unit(word.substring(digits));
        if (digits == 0 || unit == 0) {
            throw new ConfigError("is not a size: \"" + word + "\"", sizes(word));
        }
        try {
            return Math.multiplyExact(Long.parseLong(word.substring(0, digits)), unit);
        } catch (ArithmeticException e) {
            throw new ConfigError("is too large: \"" + word + "\"", sizes(""));
        }
    }

    /** Parses a size of memory: a size, or a share of the maximum heap such as {@code "25%"}. */
    static long memory(Node node) {
        long bytes;
        if (node instanceof Node.Text(String word, _) && isPercentage(word)) {
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

    private static boolean isPercentage(String word) {
        int digits = endOfDigits(word, 0, 3);
        return digits > 0 && word.substring(digits).equals("%");
    }

    /** Returns the end of at most {@code most} digits that begin at {@code from}. */
    private static int endOfDigits(String word, int from, int most) {
        int end = from;
        int limit = Math.min(word.length(), from + most);
        while (end < limit && word.charAt(end) >= '0' && word.charAt(end) <= '9') end++;
        return end;
    }

    /** Returns the bytes of a unit, or 0 if it is none. */
    private static long unit(String name) {
        return switch (name) {
            case "", "B" -> 1;
            case "KiB" -> 1L << 10;
            case "MiB" -> 1L << 20;
            case "GiB" -> 1L << 30;
            case "TiB" -> 1L << 40;
            default -> 0;
        };
    }

    private static String sizes(String word) {
        Matcher nearly =
                Pattern.compile("([0-9]{1,18}) ?([kmgt])i?b?", Pattern.CASE_INSENSITIVE)
                        .matcher(word);
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
        int whole = endOfDigits(word, 0, 9);
        boolean hasPoint = whole > 0 && word.startsWith(".", whole);
        int end = hasPoint ? endOfDigits(word, whole + 1, 3) : whole;
        String fraction = hasPoint ? word.substring(whole + 1, end) : "0";
        long millis = millis(word.substring(end));
        if (whole == 0 || fraction.isEmpty() || millis == 0) {
            throw new ConfigError("is not a duration: \"" + word + "\"", times);
        }
        return Duration.ofMillis(
                Long.parseLong(word.substring(0, whole)) * millis
                        + thousandths(fraction) * millis / 1000);
    }

    /** Returns the milliseconds of a unit, or 0 if it is none. */
    private static long millis(String unit) {
        return switch (unit) {
            case "ms" -> 1;
            case "s" -> 1_000;
            case "m" -> 60_000;
            case "h" -> 3_600_000;
            case "d" -> 86_400_000;
            default -> 0;
        };
    }

    /** Returns thousandths from at most three digits after the decimal point. */
    private static int thousandths(String digits) {
        return Integer.parseInt((digits + "00").substring(0, 3));
    }
}
