// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CronTest {
    private static final ZoneId WARSAW = ZoneId.of("Europe/Warsaw");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
            30 6 * * Mon-Fri        | 2026-11-27T06:30 | 2026-11-30T06:30
            30 6 * * Mon-Fri        | 2026-11-27T06:29 | 2026-11-27T06:30
            */15 * * * *            | 2026-11-27T10:14 | 2026-11-27T10:15
            5/20 * * * *            | 2026-11-27T10:25 | 2026-11-27T10:45
            0 8-18/5 * * *          | 2026-11-27T08:00 | 2026-11-27T13:00
            0 8-18/5 * * *          | 2026-11-27T18:00 | 2026-11-28T08:00
            0,30 7,19 * * *         | 2026-11-27T07:00 | 2026-11-27T07:30
            0 0 L * *               | 2028-02-01T00:00 | 2028-02-29T00:00
            0 0 15,L * *            | 2026-11-15T00:00 | 2026-11-30T00:00
            0 0 29 2 *              | 2026-01-01T00:00 | 2028-02-29T00:00
            0 12 * * Fri#2          | 2026-11-01T00:00 | 2026-11-13T12:00
            0 12 * * FriL           | 2026-11-01T00:00 | 2026-11-27T12:00
            0 12 * * 5L             | 2026-11-27T12:00 | 2026-12-25T12:00
            0 12 * * 0              | 2026-11-27T00:00 | 2026-11-29T12:00
            0 12 * * 7              | 2026-11-27T00:00 | 2026-11-29T12:00
            0 12 * * Sat-Sun        | 2026-11-28T12:00 | 2026-11-29T12:00
            0 12 13 * Fri           | 2026-11-01T00:00 | 2026-11-06T12:00
            0 12 13 * ?             | 2026-11-01T00:00 | 2026-11-13T12:00
            0 0 1 jan,JUL *         | 2026-11-01T00:00 | 2027-01-01T00:00
            @daily                  | 2026-11-27T10:00 | 2026-11-28T00:00
            @hourly                 | 2026-11-27T10:00 | 2026-11-27T11:00
            59 23 31 12 *           | 2026-12-31T23:59 | 2027-12-31T23:59
            """)
    void theNextOccurrence(String rule, LocalDateTime after, LocalDateTime next) {
        assertEquals(
                next,
                LocalDateTime.ofInstant(
                        Cron.parse(rule).next(after.atZone(WARSAW).toInstant(), WARSAW).get(),
                        WARSAW));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
            61 6 * * *      | minute is a number from 0 to 59
            0 24 * * *      | hour is a number from 0 to 23
            0 0 0 * *       | day of the month is a number from 1 to 31
            0 0 * Foo *     | month is a number from 1 to 12 or a name (JAN to DEC)
            0 0 * * 8       | day of the week is a number from 0 to 7 or a name (SUN to SAT)
            0 0 * * Fri-Mon | ends before it begins
            0 0 * * Fri#6   | as in "Fri#2"
            0 0 30 2 *      | no year has such a day
            */0 * * * *     | a step is a number from 1
            1,,2 * * * *    | a comma too many
            0 0 * *         | a rule has five fields
            -1 * * * *      | minute is a number
            ''              | a rule has five fields
            """)
    void anErrorSaysWhereAndWhatToDo(String rule, String message) {
        var error = assertThrows(RuleException.class, () -> Cron.parse(rule));
        assertTrue(error.getMessage().contains(message), error.getMessage());
    }

    @Test
    void aFixedTimeInTheGapOccursAtItsEnd() { // 2026-03-29, 02:00 to 03:00 are skipped
        assertEquals(
                List.of("2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"),
                occurrences("30 2 * * *", "2026-03-28T00:00:00Z", 3));
    }

    @Test
    void aFixedTimeThatIsRepeatedOccursOnce() { // 2026-10-25, 02:00 to 03:00 are repeated
        assertEquals(
                List.of("2026-10-24T00:30:00Z", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"),
                occurrences("30 2 * * *", "2026-10-24T00:00:00Z", 3));
    }

    @Test
    void aRuleForEveryHourFollowsElapsedTime() {
        assertEquals(
                List.of("2026-03-29T00:30:00Z", "2026-03-29T01:30:00Z"),
                occurrences("30 * * * *", "2026-03-29T00:00:00Z", 2));
        assertEquals(
                List.of("2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25T02:30:00Z"),
                occurrences("30 * * * *", "2026-10-25T00:00:00Z", 3));
    }

    @Test
    void severalTimesInTheGapOccurOnceTogether() {
        assertEquals(
                List.of("2026-03-29T01:00:00Z", "2026-03-30T00:15:00Z"),
                occurrences("15,30,45 2 * * *", "2026-03-29T00:00:00Z", 2));
    }

    @Test
    void theFirstOfSeveralRules() {
        List<Cron> rules = Cron.parseAll("0 7 * * Mon-Fri; 0 9 * * Sat-Sun;\n 0 8 1 * *;");
        assertEquals(3, rules.size());
        assertEquals(
                Instant.parse("2026-11-28T08:00:00Z"),
                Cron.next(rules, Instant.parse("2026-11-27T12:00:00Z"), WARSAW).get());
        assertEquals(List.of(), Cron.parseAll(" ; "));
        assertThrows(RuleException.class, () -> Cron.parseAll("@daily;".repeat(101)));
    }

    private static List<String> occurrences(String rule, String after, int count) {
        Cron cron = Cron.parse(rule);
        return Stream.iterate(Instant.parse(after), at -> cron.next(at, WARSAW).get())
                .skip(1)
                .limit(count)
                .map(Instant::toString)
                .toList();
    }
}
