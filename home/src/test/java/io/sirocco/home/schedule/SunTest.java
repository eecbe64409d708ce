// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.home.schedule.Sun.Event;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SunTest {
    private static final Sun TROMSO = new Sun(69.65, 18.96);

    /**
     * The times of December 2015 are published by the Finnish Meteorological Institute and others,
     * see Wikipedia's Template:December_solstice; the other ones agree to the minute with PyEphem
     * (upper limb, horizon at -0:34), which computes in another way.
     */
    @ParameterizedTest
    @CsvSource({
        "52.23, 21.01, Europe/Warsaw, 2024-06-21, 04:14, 21:01",
        "52.23, 21.01, Europe/Warsaw, 2015-12-22, 07:43, 15:25",
        "51.51, -0.13, Europe/London, 2024-06-20, 04:43, 21:21",
        "51.51, -0.13, Europe/London, 2015-12-22, 08:04, 15:53",
        "55.95, -3.19, Europe/London, 2015-12-22, 08:42, 15:40",
        "52.52, 13.40, Europe/Berlin, 2015-12-22, 08:15, 15:54",
        "48.85, 2.35, Europe/Paris, 2015-12-22, 08:41, 16:56",
        "40.42, -3.70, Europe/Madrid, 2015-12-22, 08:34, 17:51",
        "-0.18, -78.47, America/Guayaquil, 2024-03-20, 06:18, 18:24",
        "40.71, -74.01, America/New_York, 2024-06-20, 05:25, 20:31",
        "40.71, -74.01, America/New_York, 2024-12-21, 07:17, 16:32",
        "-33.87, 151.21, Australia/Sydney, 2024-12-21, 05:41, 20:05",
        "-36.85, 174.76, Pacific/Auckland, 2024-06-21, 07:34, 17:11",
        "21.31, -157.86, Pacific/Honolulu, 2024-12-21, 07:05, 17:55",
    })
    void agreesWithPublishedTimes(
            double latitude,
            double longitude,
            ZoneId zone,
            LocalDate date,
            LocalTime rise,
            LocalTime set) {
        var sun = new Sun(latitude, longitude);
        near(date.atTime(rise).atZone(zone).toInstant(), sun.at(Event.SUNRISE, date).get());
        near(date.atTime(set).atZone(zone).toInstant(), sun.at(Event.SUNSET, date).get());
    }

    private static void near(Instant published, Instant computed) {
        Duration difference = Duration.between(published, computed).abs();
        assertTrue(
                difference.compareTo(Duration.ofMinutes(2)) <= 0,
                published + " is published, " + computed + " is computed");
    }

    @Test
    void aPolarDayHasNoSunset() {
        for (String day : new String[] {"2024-05-22", "2024-06-21", "2024-07-21"}) {
            LocalDate date = LocalDate.parse(day);
            assertEquals(Optional.empty(), TROMSO.at(Event.SUNRISE, date));
            assertEquals(Optional.empty(), TROMSO.at(Event.SUNSET, date));
        }
        assertTrue(TROMSO.isUp(Instant.parse("2024-06-21T23:00:00Z")), "midnight sun");
        LocalDate next = date(TROMSO.next(Event.SUNSET, Instant.parse("2024-06-21T00:00:00Z")));
        assertEquals(LocalDate.of(2024, 7, 26), next, "the last days of July end the polar day");
    }

    @Test
    void aPolarNightHasNoSunrise() {
        LocalDate date = LocalDate.of(2024, 12, 21);
        assertEquals(Optional.empty(), TROMSO.at(Event.SUNRISE, date));
        assertFalse(TROMSO.isUp(Instant.parse("2024-12-21T10:45:00Z")), "noon");
        LocalDate next = date(TROMSO.next(Event.SUNRISE, Instant.parse("2024-12-21T00:00:00Z")));
        assertEquals(LocalDate.of(2025, 1, 15), next, "the day of the sun");
    }

    private static LocalDate date(Optional<Instant> time) {
        return LocalDate.ofInstant(time.get(), ZoneId.of("Europe/Oslo"));
    }

    @Test
    void upBetweenSunriseAndSunset() {
        var warsaw = new Sun(52.23, 21.01);
        LocalDate date = LocalDate.of(2024, 3, 1);
        Instant rise = warsaw.at(Event.SUNRISE, date).get();
        Instant set = warsaw.at(Event.SUNSET, date).get();
        assertFalse(warsaw.isUp(rise.minusSeconds(60)));
        assertTrue(warsaw.isUp(rise.plusSeconds(60)));
        assertTrue(warsaw.isUp(set.minusSeconds(60)));
        assertFalse(warsaw.isUp(set.plusSeconds(60)));
        assertEquals(rise, warsaw.next(Event.SUNRISE, rise.minusSeconds(1)).get());
        assertTrue(warsaw.next(Event.SUNRISE, rise).get().isAfter(rise.plusSeconds(80_000)));
    }

    @Test
    void thePolesHaveNoError() {
        for (double latitude : new double[] {-90, 90}) {
            assertEquals(
                    Optional.empty(),
                    new Sun(latitude, 0).at(Event.SUNRISE, LocalDate.of(2024, 6, 21)));
        }
    }

    @Test
    void noSuchPlace() {
        assertThrows(IllegalArgumentException.class, () -> new Sun(91, 0));
        assertThrows(IllegalArgumentException.class, () -> new Sun(0, Double.NaN));
    }

    @Test
    void eachNumberedZoneHasASun() {
        for (int i = 0; i <= Zones.UTC; i++) {
            LocalDate date = LocalDate.of(2024, 3, 20);
            Instant rise = Zones.sun(Zones.of(i)).at(Event.SUNRISE, date).get();
            LocalTime local = LocalTime.ofInstant(rise, Zones.of(i));
            assertTrue(Math.abs(local.toSecondOfDay() - 6.5 * 3_600) < 5_400, i + ": " + local);
        }
        assertThrows(IllegalArgumentException.class, () -> Zones.of(23));
    }
}
