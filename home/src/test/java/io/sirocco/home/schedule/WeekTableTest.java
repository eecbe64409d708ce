// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.home.schedule.WeekTable.SetPoint;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WeekTableTest {
    private static final ZoneId WARSAW = ZoneId.of("Europe/Warsaw");
    private static final String TABLE = "Mon-Fri 06:00=21.5, 22:00=18; Sat,Sun 08:00=22";

    @ParameterizedTest
    @CsvSource({
        "2026-11-27T05:59, 18, 2026-11-27T06:00, 21.5",
        "2026-11-27T06:00, 21.5, 2026-11-27T22:00, 18",
        "2026-11-28T03:00, 18, 2026-11-28T08:00, 22",
        "2026-11-29T23:00, 22, 2026-11-30T06:00, 21.5",
    })
    void currentAndNext(LocalDateTime time, double value, LocalDateTime next, double nextValue) {
        WeekTable table = WeekTable.parse(TABLE);
        Instant now = time.atZone(WARSAW).toInstant();
        assertEquals(12, table.size());
        assertEquals(value, table.current(now, WARSAW).get().value());
        assertEquals(
                new SetPoint(next.atZone(WARSAW).toInstant(), nextValue),
                table.next(now, WARSAW).get());
    }

    @Test
    void oneSetPointAWeekIsInForceForAWeek() {
        WeekTable table = WeekTable.parse("Fri 12:00=-5.25");
        Instant before = Instant.parse("2026-11-27T10:59:59Z");
        assertEquals(
                Instant.parse("2026-11-20T11:00:00Z"), table.current(before, WARSAW).get().at());
        assertEquals(Instant.parse("2026-11-27T11:00:00Z"), table.next(before, WARSAW).get().at());
        assertEquals(
                Instant.parse("2026-12-04T11:00:00Z"),
                table.next(Instant.parse("2026-11-27T11:00:00Z"), WARSAW).get().at());
    }

    @Test
    void aTimeInTheGapAndARepeatedOne() {
        WeekTable table = WeekTable.parse("* 02:30=1, 12:00=2");
        assertEquals(
                Instant.parse("2026-03-29T01:00:00Z"),
                table.next(Instant.parse("2026-03-29T00:00:00Z"), WARSAW).get().at());
        Instant firstPass = Instant.parse("2026-10-25T00:30:00Z");
        assertEquals(
                firstPass, table.next(Instant.parse("2026-10-25T00:00:00Z"), WARSAW).get().at());
        assertEquals(
                Instant.parse("2026-10-25T11:00:00Z"), table.next(firstPass, WARSAW).get().at());
        assertEquals(1, table.current(Instant.parse("2026-10-25T01:10:00Z"), WARSAW).get().value());
    }

    @Test
    void anEmptyTableHasNoValue() {
        assertEquals(Optional.empty(), WeekTable.parse(" ").current(Instant.EPOCH, WARSAW));
        assertEquals(Optional.empty(), WeekTable.parse("").next(Instant.EPOCH, WARSAW));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
            Mon-Fri                    | days and set points are expected
            06:00=21                   | days and set points are expected
            Mon 6=21                   | "6=21" is no set point
            Mon 24:00=21               | "24:00=21" is no set point
            Mon 06:60=21               | is no set point
            Mon 06:00=warm             | is no set point
            Mon 06:00=1,               | "" is no set point
            Mon-Foo 06:00=1            | "Foo" is no day of the week
            Mon-Fri 6:00=1; Tue 06:00=2 | TUESDAY has two values at 06:00
            """)
    void anErrorSaysWhereAndWhatToDo(String table, String message) {
        var error = assertThrows(RuleException.class, () -> WeekTable.parse(table));
        assertTrue(error.getMessage().contains(message), error.getMessage());
    }

    @Test
    void longTextsAreRefusedAtOnce() {
        for (String text : new String[] {"A" + " ".repeat(1 << 22), "Mon 06:00=1,".repeat(1_000)}) {
            assertThrows(RuleException.class, () -> WeekTable.parse(text));
            assertThrows(RuleException.class, () -> EventRule.parse(text));
            assertThrows(RuleException.class, () -> Cron.parse(text));
        }
    }
}
