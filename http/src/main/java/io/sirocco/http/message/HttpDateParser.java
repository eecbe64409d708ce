// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.message;

import java.time.YearMonth;
import java.util.OptionalLong;

/**
 * Reads the three forms of a date that RFC 9110 5.6.7 demands of a recipient. The day's name is not
 * compared with the date. Any thread.
 */
public final class HttpDateParser {
    // In a form, 9 is a digit, A a letter, _ a digit or a space, and the rest is itself.
    private static final String IMF = "AAA, 99 AAA 9999 99:99:99 GMT";
    private static final String ASCTIME = "AAA AAA _9 99:99:99 9999";
    private static final String RFC850 = ", 99-AAA-99 99:99:99 GMT";

    private static final String MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
    private static final int LONGEST_DAY = "Wednesday".length();

    private HttpDateParser() {}

    public static OptionalLong parse(String text, long now) {
        if (fits(text, 0, IMF)) {
            return seconds(text, number(text, 12, 16), 8, number(text, 5, 7), 17);
        }
        if (fits(text, 0, ASCTIME)) {
            int day = number(text, text.charAt(8) == ' ' ? 9 : 8, 10);
            return seconds(text, number(text, 20, 24), 4, day, 11);
        }
        int comma = text.indexOf(',');
        if (comma > 0 && comma <= LONGEST_DAY && fits(text, comma, RFC850)) {
            return rfc850(text, comma, now);
        }
        return OptionalLong.empty();
    }

    /**
     * "Recipients of a timestamp value in rfc850-date format, which uses a two-digit year, MUST
     * interpret a timestamp that appears to be more than 50 years in the future as representing the
     * most recent year in the past that had the same last two digits" (RFC 9110 5.6.7).
     */
    private static OptionalLong rfc850(String text, int comma, long now) {
        int thisYear = 1970 + (int) Math.floorDiv(now, 31_556_952L);
        int year = thisYear - Math.floorMod(thisYear, 100) + number(text, comma + 9, comma + 11);
        if (year > thisYear + 50) {
            year -= 100;
        } else if (year < thisYear - 50) {
            year += 100;
        }
        return seconds(text, year, comma + 5, number(text, comma + 2, comma + 4), comma + 12);
    }

    private static OptionalLong seconds(String text, int year, int monthAt, int day, int timeAt) {
        int month = MONTHS.indexOf(text.substring(monthAt, monthAt + 3)) / 3 + 1;
        boolean named = MONTHS.startsWith(text.substring(monthAt, monthAt + 3), 3 * (month - 1));
        int hour = number(text, timeAt, timeAt + 2);
        int minute = number(text, timeAt + 3, timeAt + 5);
        int second = number(text, timeAt + 6, timeAt + 8); // 60 is a leap second
        if (!named || year == 0 || day == 0 || hour > 23 || minute > 59 || second > 60) {
            return OptionalLong.empty();
        }
        var days = YearMonth.of(year, month);
        return day > days.lengthOfMonth()
                ? OptionalLong.empty()
                : OptionalLong.of(
                        days.atDay(day).toEpochDay() * 86_400
                                + hour * 3_600
                                + minute * 60
                                + second);
    }

    private static boolean fits(String text, int at, String form) {
        if (text.length() - at != form.length()) {
            return false;
        }
        for (int i = 0; i < form.length(); i++) {
            char c = text.charAt(at + i);
            boolean digit = c >= '0' && c <= '9';
            boolean good =
                    switch (form.charAt(i)) {
                        case '9' -> digit;
                        case '_' -> digit || c == ' ';
                        case 'A' -> c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z';
                        default -> c == form.charAt(i);
                    };
            if (!good) {
                return false;
            }
        }
        return true;
    }

    private static int number(String text, int from, int to) {
        return Integer.parseInt(text, from, to, 10);
    }
}
