// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.home.schedule.Sun.Event;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EventRuleTest {
    private static final ZoneId WARSAW = ZoneId.of("Europe/Warsaw");
    private static final Instant FRIDAY = Instant.parse("2026-11-27T12:00:00Z");

    @Test
    void aRuleOfCron() {
        EventRule rule = EventRule.parse(" night lights : 0 22 * * * ");
        assertEquals("night lights", rule.name());
        assertEquals(Instant.parse("2026-11-27T21:00:00Z"), rule.next(FRIDAY, WARSAW).get());
    }

    @Test
    void sunsetOverTheCityOfTheZoneWithAnOffset() {
        Instant sunset =
                Zones.sun(WARSAW).at(Event.SUNSET, LocalDate.of(2026, 11, 27)).orElseThrow();
        Instant next = EventRule.parse("garden: @sunset+1h30m").next(FRIDAY, WARSAW).get();
        assertEquals(Duration.ofMinutes(90), Duration.between(sunset, next));
    }

    @Test
    void sunriseOverAPlaceOnSomeDays() {
        Instant sunrise =
                new Sun(54.35, 18.65).at(Event.SUNRISE, LocalDate.of(2026, 11, 30)).orElseThrow();
        Instant next =
                EventRule.parse("hens: @SUNRISE(54.35, 18.65)-15m Mon-Thu")
                        .next(FRIDAY, WARSAW)
                        .get();
        assertEquals(Duration.ofMinutes(-15), Duration.between(sunrise, next));
    }

    @Test
    void aDisabledRuleNeverOccurs() {
        EventRule rule = EventRule.parse("! a: @daily");
        assertEquals(Optional.empty(), rule.next(FRIDAY, WARSAW));
        assertTrue(rule.withEnabled(true).next(FRIDAY, WARSAW).isPresent());
    }

    @Test
    void noSunriseOnTheDaysOfAPolarNight() {
        Instant next =
                EventRule.parse("a: @sunrise(69.65,18.96)").next(FRIDAY, WARSAW).orElseThrow();
        assertEquals(LocalDate.of(2027, 1, 15), LocalDate.ofInstant(next, WARSAW));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a: 0 22 * * *",
                "!b c: @sunset(1.5,2)-1h Mon,Tue",
                "d: @daily",
                "0 22 * * *",
                "!@sunset+1h"
            })
    void theTextIsARuleAgain(String text) {
        EventRule rule = EventRule.parse(text);
        assertEquals(text, rule.toString());
        assertEquals(rule.toString(), EventRule.parse(rule.toString()).toString());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
            0 22 * *              | five fields
            : 0 22 * * *          | five fields
            lights                | five fields
            a: 0 22 * *           | five fields
            a: @sunset+           | is no time of the sun
            a: @sunset 30m        | is no day of the week
            a: @sunset+30         | is no time of the sun
            a: @sunset+13h        | at most 12 hours
            a: @sunset(91,0)      | are no place
            a: @sunset(1.1.1,0)   | no pair of numbers
            a: @sunrise Foo       | is no day of the week
            """)
    void anErrorSaysWhereAndWhatToDo(String rule, String message) {
        var error = assertThrows(RuleException.class, () -> EventRule.parse(rule));
        assertTrue(error.getMessage().contains(message), error.getMessage());
    }
}
