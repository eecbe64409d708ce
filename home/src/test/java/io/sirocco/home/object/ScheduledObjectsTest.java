// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import static io.sirocco.home.object.Scripts.call;
import static io.sirocco.home.object.Scripts.get;
import static io.sirocco.home.object.Scripts.set;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Objects that act at times of the wall clock. It is Friday, 13:00 in Warsaw. */
class ScheduledObjectsTest {
    private final Scripts scripts = new Scripts("2026-11-27T12:00:00Z");

    private void advance(Duration time) {
        scripts.thread.advance(time);
    }

    private void hours(int hours) {
        advance(Duration.ofHours(hours));
    }

    private void minutes(int minutes) {
        advance(Duration.ofMinutes(minutes));
    }

    private void setClock(String time) {
        scripts.thread.setClock(Instant.parse(time));
    }

    @Nested
    class OfCalendar {
        private final Calendar calendar = new Calendar("CAL1", scripts.context());

        OfCalendar() {
            scripts.record(calendar, 0, "run");
            scripts.record(calendar, 1, "start");
            scripts.record(calendar, 2, "stop");
            scripts.record(calendar, 3, "cancel");
            set(calendar, 0, "0 14 * * *; 30 15 * * Fri");
        }

        @Test
        void runsOnce() {
            call(calendar, 0);
            call(calendar, 0);
            assertEquals("60", get(calendar, 2));
            assertEquals("-1", get(calendar, 1));
            minutes(59);
            assertEquals(List.of("start"), scripts.events());
            minutes(1);
            assertEquals(List.of("run"), scripts.events());
            hours(1);
            assertEquals("60", get(calendar, 1));
            assertEquals("30", get(calendar, 2));
            hours(24 * 7);
            assertEquals(8, scripts.events().size(), "once a day, twice on Friday");
        }

        @Test
        void stopsAndSaysSo() {
            set(calendar, 3, 1);
            set(calendar, 3, 0);
            call(calendar, 1);
            hours(48);
            assertEquals(List.of("start", "stop"), scripts.events());
            assertEquals("-1", get(calendar, 2));
            assertEquals(0, scripts.thread.scheduled());
        }

        @Test
        void cancelsTheNextRuns() {
            call(calendar, 0);
            call(calendar, 3, 2);
            assertEquals("1500", get(calendar, 2), "tomorrow, 14:00");
            hours(25);
            assertEquals(List.of("start", "cancel", "cancel", "run"), scripts.events());
        }

        @Test
        void aWrongRuleNeverRuns() {
            call(calendar, 0);
            set(calendar, 0, "0 14 * *");
            hours(48);
            assertEquals(List.of("start"), scripts.events());
            assertEquals("0 14 * *", get(calendar, 0));
        }

        @Test
        void anotherZoneCountsAtOnce() {
            call(calendar, 0);
            scripts.zone = ZoneId.of("Europe/London");
            calendar.loop();
            assertEquals("120", get(calendar, 2));
            hours(2);
            assertEquals(List.of("start", "run"), scripts.events());
        }

        @Test
        void aClockThatIsSetFarSkips() {
            call(calendar, 0);
            setClock("2026-11-30T08:00:00Z");
            calendar.loop();
            assertEquals(List.of("start"), scripts.events());
            assertEquals("300", get(calendar, 2));
            hours(5);
            assertEquals(List.of("run"), scripts.events());
            setClock("2026-11-27T12:00:00Z");
            calendar.loop();
            hours(1);
            assertEquals(List.of("run"), scripts.events());
        }

        @Test
        void aClockThatIsSetFarSkipsWithoutALoop() {
            call(calendar, 0);
            setClock("2026-11-30T16:00:00Z");
            minutes(2);
            assertEquals(List.of("start"), scripts.events());
        }

        @Test
        void aTimeThatTheClockSkipsOccursAtOnce() {
            call(calendar, 0);
            setClock("2026-11-27T14:45:00Z"); // over 14:00 and 15:30
            calendar.loop();
            assertEquals(List.of("start", "run"), scripts.events());
            hours(1);
            assertEquals(List.of(), scripts.events());
        }

        @Test
        void aTimeThatTheClockRepeatsDoesNotOccurAgain() {
            call(calendar, 0);
            minutes(61);
            assertEquals(List.of("start", "run"), scripts.events());
            setClock("2026-11-27T12:50:00Z");
            calendar.loop();
            minutes(20);
            assertEquals(List.of(), scripts.events());
        }
    }

    @Nested
    class OfScheduler {
        private final Scheduler scheduler = new Scheduler("SCH1", scripts.context());

        OfScheduler() {
            scripts.record(scheduler, 0, "value");
            scripts.record(scheduler, 1, "start");
            scripts.record(scheduler, 2, "stop");
            set(scheduler, 0, "Mon-Fri 06:00=21.5, 22:00=18; Sat,Sun 08:00=22");
        }

        @Test
        void followsTheTable() {
            call(scheduler, 0);
            assertEquals("21.5", get(scheduler, 2), "in force since six");
            assertEquals(List.of("value 21.5", "start"), scripts.events());
            hours(8);
            assertEquals(List.of(), scripts.events());
            hours(1);
            assertEquals(List.of("value 18"), scripts.events());
            assertEquals("18", get(scheduler, 2));
            hours(24);
            assertEquals(List.of("value 22"), scripts.events());
            call(scheduler, 1);
            hours(24 * 7);
            assertEquals(List.of("stop"), scripts.events());
            assertEquals("22", get(scheduler, 2));
        }

        @Test
        void aValueSetByHandLastsUntilTheNextSetPoint() {
            call(scheduler, 0);
            set(scheduler, 2, 25);
            assertEquals("25", get(scheduler, 2));
            hours(9);
            assertEquals("18", get(scheduler, 2));
        }

        @Test
        void limitsCountOnceTheyAreSet() {
            assertEquals("0", get(scheduler, 3));
            assertEquals("1", get(scheduler, 4));
            set(scheduler, 4, 20);
            call(scheduler, 0);
            assertEquals("20", get(scheduler, 2));
        }

        @Test
        void anotherTableAndAnotherTimeCountAtOnce() {
            call(scheduler, 0);
            set(scheduler, 0, "* 12:00=5, 18:00=6");
            assertEquals("5", get(scheduler, 2));
            setClock("2026-11-28T02:00:00Z");
            scheduler.loop();
            assertEquals("6", get(scheduler, 2));
            assertEquals(List.of("value 21.5", "start", "value 5", "value 6"), scripts.events());
        }
    }

    @Nested
    class OfSunriseSunsetCalendar {
        private final SunriseSunsetCalendar sun =
                new SunriseSunsetCalendar("SUN1", scripts.context());

        OfSunriseSunsetCalendar() {
            String[] names = {"start", "stop", "sunrise", "sunset", "change", "day", "night"};
            for (int i = 0; i < names.length; i++) {
                scripts.record(sun, i, names[i]);
            }
        }

        @Test
        void theCityOfTheZoneUntilItIsSet() {
            assertEquals("52.25", get(sun, 1));
            assertEquals("21", get(sun, 0));
            assertEquals("06:17 14:30 07:17 15:30", texts());
            set(sun, 0, 18.65);
            set(sun, 1, 54.35);
            assertEquals("06:36 14:29 07:36 15:29", texts());
        }

        private String texts() {
            return String.join(" ", get(sun, 3), get(sun, 4), get(sun, 5), get(sun, 6));
        }

        @Test
        void timestamps() {
            long utc = sun.get(7).tolong();
            assertEquals("06:16", Instant.ofEpochSecond(utc).toString().substring(11, 16));
            assertEquals(utc + 3_600, sun.get(9).tolong());
            assertEquals(3_600, sun.get(10).tolong() - sun.get(8).tolong());
        }

        @Test
        void eachEventOnce() {
            set(sun, 12, -30);
            set(sun, 13, 45);
            call(sun, 0);
            assertEquals("1", get(sun, 11));
            assertEquals("196", get(sun, 15), "14:30:08 and 45 minutes");
            hours(3);
            assertEquals(List.of("start", "night"), scripts.events());
            assertEquals("0", get(sun, 11));
            hours(21);
            assertEquals(List.of("sunset", "change", "sunrise", "day"), scripts.events());
        }

        @Test
        void aPolarNightHasNeither() {
            set(sun, 0, 18.96);
            set(sun, 1, 69.65);
            advance(Duration.ofDays(14));
            assertEquals("", get(sun, 3));
            assertEquals("0", get(sun, 7));
            assertEquals("0", get(sun, 11));
            assertTrue(sun.get(14).toint() > 30 * 24 * 60, "in the middle of January");
            call(sun, 0);
            advance(Duration.ofDays(2));
            assertEquals(List.of("start", "change", "change"), scripts.events());
        }

        @Test
        void anotherPlaceChangesTheFeatures() {
            call(sun, 0);
            set(sun, 0, 10);
            assertEquals(List.of("start", "change"), scripts.events());
            set(sun, 0, 200);
            assertEquals("10", get(sun, 0));
        }
    }

    @Nested
    class OfEventScheduler {
        private final EventScheduler scheduler = new EventScheduler("EVS1", scripts.context());

        OfEventScheduler() {
            String[] names = {"start", "stop", "event", "add", "delete"};
            for (int i = 0; i < names.length; i++) {
                scripts.record(scheduler, i, names[i]);
            }
        }

        @Test
        void rulesOccurByName() {
            set(scheduler, 0, "a: 0 14 * * *; b: 0 14,15 * * *; !c: 0 14 * * *");
            call(scheduler, 0);
            assertEquals("a", get(scheduler, 2));
            assertEquals("3", get(scheduler, 3));
            assertEquals("97", get(scheduler, 4));
            hours(1);
            assertEquals(List.of("start", "event a 1", "event b 2"), scripts.events());
            assertEquals("b", get(scheduler, 1));
            assertEquals("b", get(scheduler, 2));
            hours(1);
            assertEquals(List.of("event b 2"), scripts.events());
        }

        @Test
        void sunset() {
            set(scheduler, 0, "garden: @sunset+30m");
            call(scheduler, 0);
            hours(2);
            assertEquals(List.of("start"), scripts.events());
            hours(2);
            assertEquals(List.of("event garden 1"), scripts.events());
        }

        @Test
        void addDeleteEnableDisable() {
            call(scheduler, 0);
            assertEquals("1", call(scheduler, 2, "a: 0 14 * * *").tojstring());
            assertEquals("nil", call(scheduler, 2, "a: 0 15 * * *").tojstring(), "the name");
            assertEquals("nil", call(scheduler, 2, "b 0 15 * * *").tojstring(), "no rule");
            assertEquals("2", call(scheduler, 2, "b: 0 15 * * *").tojstring());
            assertEquals("a: 0 14 * * *", call(scheduler, 4, 1).tojstring());
            assertEquals("nil", call(scheduler, 4, 3).tojstring());
            assertEquals("true", call(scheduler, 6, "a").tojstring());
            assertEquals("!a: 0 14 * * *; b: 0 15 * * *", get(scheduler, 0));
            assertEquals("2", call(scheduler, 8).arg(1).tojstring());
            assertEquals("120", call(scheduler, 8).arg(2).tojstring());
            assertEquals("true", call(scheduler, 5, 1).tojstring());
            assertEquals("true", call(scheduler, 3, 1).tojstring());
            assertEquals("false", call(scheduler, 3, 1).tojstring());
            assertEquals("2: b: 0 15 * * *", call(scheduler, 7).tojstring());
            hours(3);
            assertEquals(
                    List.of("start", "add a 1", "add b 2", "delete a 1", "event b 2"),
                    scripts.events());
        }

        @Test
        void rulesWithoutANameHaveAnId() {
            call(scheduler, 0);
            assertEquals("1", call(scheduler, 2, "0 14 * * *").tojstring());
            assertEquals("2", call(scheduler, 2, "0 15 * * *").tojstring());
            assertEquals("3", call(scheduler, 2, "b: 0 16 * * *").tojstring());
            assertEquals("true", call(scheduler, 6, 2).tojstring());
            assertEquals(
                    "1: 0 14 * * *; 2: !0 15 * * *; 3: b: 0 16 * * *",
                    call(scheduler, 7).tojstring());
            set(scheduler, 0, get(scheduler, 0));
            assertEquals("0 14 * * *; !0 15 * * *; b: 0 16 * * *", get(scheduler, 0));
            assertEquals("false", call(scheduler, 3, "").tojstring());
            hours(2);
            assertEquals(
                    List.of("start", "add  1", "add  2", "add b 3", "event  4"), scripts.events());
        }

        @Test
        void aWrongListChangesNothing() {
            set(scheduler, 0, "a: @daily");
            set(scheduler, 0, "b: @daily; c");
            set(scheduler, 0, "b: @daily; b: @hourly");
            assertEquals("a: @daily", get(scheduler, 0));
        }

        @Test
        void rulesThatTheClockSkipsOccurOnceEach() {
            set(scheduler, 0, "a: 10 13 * * *; b: 20 13 * * *; c: * * * * *; d: 0 15 * * *");
            call(scheduler, 0);
            setClock("2026-11-27T12:30:00Z");
            scheduler.loop();
            assertEquals(List.of("start", "event a 1", "event b 2", "event c 3"), scripts.events());
        }
    }

    @Nested
    class OfPresenceSensor {
        private final PresenceSensor sensor = new PresenceSensor("PRE1", scripts.context());

        OfPresenceSensor() {
            String[] names = {"start", "stop", "on", "off"};
            for (int i = 0; i < names.length; i++) {
                scripts.record(sensor, i, names[i]);
            }
        }

        private void seconds(int seconds) {
            advance(Duration.ofSeconds(seconds));
        }

        @Test
        void lastsForTheTimeoutAfterTheLastSignal() {
            call(sensor, 2);
            call(sensor, 0);
            call(sensor, 2);
            seconds(40);
            assertEquals("40", get(sensor, 3));
            call(sensor, 2);
            seconds(59);
            assertEquals("1", get(sensor, 2));
            assertEquals(List.of("start", "on"), scripts.events());
            seconds(1);
            assertEquals(List.of("off"), scripts.events());
            assertEquals("0", get(sensor, 2));
        }

        @Test
        void theSwitchedOffLampIsNoPresence() {
            call(sensor, 0);
            call(sensor, 2);
            seconds(61);
            call(sensor, 2);
            seconds(1);
            call(sensor, 2);
            assertEquals(List.of("start", "on", "off", "on"), scripts.events());
        }

        @Test
        void aSignalWithAnEnd() {
            set(sensor, 6, 1);
            set(sensor, 0, 10);
            call(sensor, 0);
            call(sensor, 2);
            seconds(3_600);
            assertEquals("1", get(sensor, 2));
            call(sensor, 3);
            seconds(9);
            assertEquals(List.of("start", "on"), scripts.events());
            seconds(1);
            assertEquals(List.of("off"), scripts.events());
        }

        @Test
        void inMode0UndetectEndsAtOnce() {
            call(sensor, 0);
            call(sensor, 2);
            call(sensor, 3);
            assertEquals(List.of("start", "on", "off"), scripts.events());
        }

        @Test
        void whileLockedNothingIsSwitched() {
            call(sensor, 0);
            call(sensor, 4);
            call(sensor, 2);
            assertEquals("1", get(sensor, 2));
            assertEquals(List.of("start"), scripts.events());
            set(sensor, 5, 0);
            assertEquals(List.of("on"), scripts.events());
            call(sensor, 4);
            seconds(60);
            assertEquals(List.of(), scripts.events());
            call(sensor, 4);
            assertEquals(List.of("off"), scripts.events());
        }

        @Test
        void stopEndsPresence() {
            set(sensor, 1, 1);
            call(sensor, 2);
            call(sensor, 1);
            seconds(600);
            assertEquals(List.of("start", "on", "off", "stop"), scripts.events());
            assertEquals(0, scripts.thread.scheduled());
        }

        @Test
        void aTimeoutHasBounds() {
            set(sensor, 0, 4);
            assertEquals("60", get(sensor, 0));
        }
    }
}
