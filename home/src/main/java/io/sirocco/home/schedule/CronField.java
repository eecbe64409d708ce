// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.schedule;

import java.util.List;
import java.util.Locale;

/**
 * A field of a {@link Cron} rule, parsed to a set of bits. Immutable.
 *
 * @param rule the whole rule, for errors
 * @param name of the field, for errors
 * @param min the lowest value
 * @param max the highest value
 * @param names of the values from the first one that has a name; empty if none has
 */
record CronField(String rule, String name, int min, int max, List<String> names) {
    static final List<String> MONTHS =
            List.of(
                    "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV",
                    "DEC");
    static final List<String> WEEKDAYS = List.of("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT");

    /** Returns the items of a list. */
    static String[] items(String rule, String name, String field) {
        String[] items = field.split(",", -1);
        for (String item : items) {
            if (item.isEmpty()) {
                throw new RuleException(
                        rule, "the field for the " + name + " has a comma too many.");
            }
        }
        return items;
    }

    /** Parses a whole field. */
    long parse(String field) {
        long bits = 0;
        for (String item : items(rule, name, field)) {
            bits |= item(item);
        }
        return bits;
    }

    /** Parses a value, a range, {@code *}, each with or without a step. */
    long item(String item) {
        int slash = item.indexOf('/');
        String range = slash < 0 ? item : item.substring(0, slash);
        int step = 1;
        if (slash >= 0) {
            step = number(item.substring(slash + 1));
            if (step < 1 || step > max) {
                throw error(item, "a step is a number from 1 to " + max);
            }
        }
        int dash = range.indexOf('-');
        int first;
        int last;
        if (range.equals("*") || range.equals("?")) {
            first = min;
            last = names == WEEKDAYS ? max - 1 : max; // Sunday once
        } else if (dash >= 0) {
            first = value(range.substring(0, dash));
            last = value(range.substring(dash + 1));
            if (names == WEEKDAYS && last == 0 && first > 0) {
                last = max; // Fri-Sun
            }
            if (first > last) {
                throw error(item, "the range ends before it begins; write two, with a comma");
            }
        } else {
            first = value(range);
            last = slash < 0 ? first : max;
        }
        long bits = 0;
        for (int value = first; value <= last; value += step) {
            bits |= 1L << value;
        }
        return bits;
    }

    /** Parses a number or a name. */
    int value(String value) {
        int named = names.indexOf(value.toUpperCase(Locale.ROOT));
        int number = named >= 0 ? named + (names == MONTHS ? 1 : 0) : number(value);
        if (number < min || number > max) {
            String orNames =
                    names.isEmpty()
                            ? ""
                            : " or a name (" + names.getFirst() + " to " + names.getLast() + ")";
            throw error(value, "the " + name + " is a number from " + min + " to " + max + orNames);
        }
        return number;
    }

    private RuleException error(String item, String why) {
        return new RuleException(rule, "\"" + item + "\": " + why + ".");
    }

    /** Returns a number of up to four digits, or -1. */
    static int number(String digits) {
        boolean valid =
                !digits.isEmpty()
                        && digits.length() <= 4
                        && digits.chars().allMatch(c -> c >= '0' && c <= '9');
        return valid ? Integer.parseInt(digits) : -1;
    }
}
