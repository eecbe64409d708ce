// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HttpDateTest {
    private static final long EXAMPLE = 784_111_777;
    private static final long NOW = Instant.parse("2026-11-21T00:00:00Z").getEpochSecond();

    @Test
    void theThreeFormsOfTheRfcAreOneInstant() {
        for (String form :
                List.of(
                        "Sun, 06 Nov 1994 08:49:37 GMT",
                        "Sunday, 06-Nov-94 08:49:37 GMT",
                        "Sun Nov  6 08:49:37 1994")) {
            assertEquals(OptionalLong.of(EXAMPLE), HttpDate.parse(form, NOW), form);
        }
    }

    @Test
    void writingIsWhatJavaTimeWritesAndReadsBack() {
        var oracle =
                DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
                        .withZone(ZoneOffset.UTC);
        var random = new Random(5);
        long last = Instant.parse("9999-12-31T23:59:59Z").getEpochSecond();
        long first = Instant.parse("0001-01-01T00:00:00Z").getEpochSecond();
        for (int i = 0; i < 10_000; i++) {
            long time = i == 0 ? last : i == 1 ? first : random.nextLong(first, last);
            String text = HttpDate.format(time);
            assertEquals(oracle.format(Instant.ofEpochSecond(time)), text);
            assertEquals(OptionalLong.of(time), HttpDate.parse(text, NOW));
        }
    }

    @Test
    void writingStaysInsideItsBytes() {
        byte[] bytes = "x".repeat(31).getBytes(US_ASCII);
        assertEquals(30, HttpDate.write(EXAMPLE, bytes, 1));
        assertEquals("xSun, 06 Nov 1994 08:49:37 GMTx", new String(bytes, US_ASCII));
    }

    @Test
    void milliSecondsAreNoticed() {
        assertThrows(
                IllegalArgumentException.class, () -> HttpDate.format(System.currentTimeMillis()));
    }

    @Test
    void twoDigitsOfAYearLieFiftyYearsAroundNow() {
        assertEquals("2076", year("76"));
        assertEquals("1977", year("77"));
        assertEquals("2000", year("00"));
        assertEquals("1999", year("99"));
    }

    private static String year(String digits) {
        var time = HttpDate.parse("Friday, 01-Jan-" + digits + " 00:00:00 GMT", NOW);
        return HttpDate.format(time.orElseThrow()).substring(12, 16);
    }

    @Test
    void aLeapSecondIsTaken() {
        assertEquals(
                HttpDate.parse("Sun, 01 Jan 2017 00:00:00 GMT", NOW),
                HttpDate.parse("Sat, 31 Dec 2016 23:59:60 GMT", NOW));
    }

    @Test
    void anythingElseIsNoDate() {
        for (String bad :
                List.of(
                        "",
                        "0",
                        ",",
                        "Sun, 06 Nov 1994 08:49:37 CET",
                        "Sun, 06 Nov 1994 08:49:37 GMT ",
                        "Sun, 31 Feb 1994 08:49:37 GMT",
                        "Sun, 00 Nov 1994 08:49:37 GMT",
                        "Sun, 06 ovD 1994 08:49:37 GMT",
                        "Sun, 06 Nix 1994 08:49:37 GMT",
                        "Sun, 06 Nov 0000 08:49:37 GMT",
                        "Sun, 06 Nov 1994 24:00:00 GMT",
                        "Sun, 06 Nov 1994 08:60:00 GMT",
                        "Sun, 06 Nov 1994 08:49:61 GMT",
                        "Sun, 6 Nov 1994 08:49:37 GMT",
                        "Sun, ٠٦ Nov 1994 08:49:37 GMT",
                        "Sunday, 06-Nov-1994 08:49:37 GMT",
                        "Sun Nov 6 08:49:37 1994")) {
            assertEquals(OptionalLong.empty(), HttpDate.parse(bad, NOW), bad);
        }
    }
}
