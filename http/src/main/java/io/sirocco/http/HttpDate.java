// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sirocco.http.message.HttpDateParser;
import java.time.LocalDate;
import java.util.OptionalLong;

/**
 * Dates in HTTP's preferred format, the IMF-fixdate of RFC 9110 5.6.7: {@code Sun, 06 Nov 1994
 * 08:49:37 GMT}, always {@value #LENGTH} bytes. Times are in seconds since 1970-01-01T00:00Z, from
 * the year 1 to 9999. Any thread.
 */
public final class HttpDate {
    /** The length of a formatted date in bytes. */
    public static final int LENGTH = 29;

    private static final String DAYS = "MonTueWedThuFriSatSun";
    private static final String MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
    private static final long MIN = LocalDate.of(1, 1, 1).toEpochDay() * 86_400;
    private static final long MAX = LocalDate.of(10_000, 1, 1).toEpochDay() * 86_400 - 1;

    private HttpDate() {}

    /**
     * Formats a date.
     *
     * @throws IllegalArgumentException if the year is not between 1 and 9999
     */
    public static String format(long epochSecond) {
        byte[] bytes = new byte[LENGTH];
        write(epochSecond, bytes, 0);
        return new String(bytes, ISO_8859_1);
    }

    /**
     * Writes a formatted date, {@value #LENGTH} bytes.
     *
     * @return the index after the last byte
     * @throws IllegalArgumentException if the year is not between 1 and 9999
     */
    public static int write(long epochSecond, byte[] into, int at) {
        if (epochSecond < MIN || epochSecond > MAX) {
            throw new IllegalArgumentException(
                    epochSecond + " s is not in the years 1 to 9999; are these milliseconds?");
        }
        var day = LocalDate.ofEpochDay(Math.floorDiv(epochSecond, 86_400L));
        int second = (int) Math.floorMod(epochSecond, 86_400L);
        int i = name(DAYS, day.getDayOfWeek().getValue(), into, at);
        into[i++] = ',';
        i = two(day.getDayOfMonth(), ' ', into, i);
        into[i++] = ' ';
        i = name(MONTHS, day.getMonthValue(), into, i);
        i = two(day.getYear() / 100, ' ', into, i);
        i = digits(day.getYear() % 100, into, i);
        i = two(second / 3600, ' ', into, i);
        i = two(second / 60 % 60, ':', into, i);
        i = two(second % 60, ':', into, i);
        into[i++] = ' ';
        into[i++] = 'G';
        into[i++] = 'M';
        into[i++] = 'T';
        return i;
    }

    /**
     * Parses a date in one of the three formats that recipients must accept: IMF-fixdate, RFC 850
     * and asctime. Empty if the text is none of them; such a header must be ignored (RFC 9110
     * 13.1.3).
     *
     * @param now the current time in seconds since 1970, which determines the century of RFC 850's
     *     two-digit year
     */
    public static OptionalLong parse(String text, long now) {
        return HttpDateParser.parse(text, now);
    }

    private static int name(String names, int oneBased, byte[] into, int at) {
        for (int i = 0; i < 3; i++) {
            into[at + i] = (byte) names.charAt(3 * (oneBased - 1) + i);
        }
        return at + 3;
    }

    private static int two(int number, char before, byte[] into, int at) {
        into[at] = (byte) before;
        return digits(number, into, at + 1);
    }

    private static int digits(int number, byte[] into, int at) {
        into[at] = (byte) ('0' + number / 10);
        into[at + 1] = (byte) ('0' + number % 10);
        return at + 2;
    }
}
