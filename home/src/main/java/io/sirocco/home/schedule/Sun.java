// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.schedule;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Optional;

/**
 * The sun over one place: rising and setting by the formulas of NOAA's Solar Calculator
 * (gml.noaa.gov/grad/solcalc, after Meeus, Astronomical Algorithms), which are exact to a minute
 * between the polar circles. The sun rises and sets when its centre is 0.833 degrees below the
 * horizon, for refraction and the radius of its disc. The height of the place is not considered.
 * Immutable.
 *
 * @param latitude degrees, north is positive
 * @param longitude degrees, east is positive
 */
public record Sun(double latitude, double longitude) {
    private static final double HORIZON = -0.833;
    private static final double J2000 = 2_451_545;
    private static final double EPOCH = 2_440_587.5; // 1970-01-01 as a Julian day
    private static final long DAY_MILLIS = 86_400_000;

    /** An event at the horizon. */
    public enum Event {
        /** The sun comes up. */
        SUNRISE,
        /** The sun goes down. */
        SUNSET
    }

    /**
     * Creates the sun over a place.
     *
     * @throws IllegalArgumentException if there is no such place
     */
    public Sun {
        if (!(Math.abs(latitude) <= 90) || !(Math.abs(longitude) <= 180)) {
            throw new IllegalArgumentException(
                    "Latitude "
                            + latitude
                            + " and longitude "
                            + longitude
                            + " are no place: write degrees, -90 to 90 and -180 to 180.");
        }
    }

    /**
     * Returns when the sun rises or sets on the day of the place whose noon belongs to {@code
     * date}; empty on a polar day or in a polar night.
     */
    public Optional<Instant> at(Event event, LocalDate date) {
        long noon =
                date.atTime(12, 0).toInstant(ZoneOffset.UTC).toEpochMilli()
                        - Math.round(longitude / 360 * DAY_MILLIS);
        double time = noon;
        for (int round = 0; round < 3; round++) { // the sun moves on meanwhile
            Position sun = Position.of(time);
            double cosine = cosineOfHourAngle(sun.declination);
            if (!(Math.abs(cosine) <= 1)) {
                return Optional.empty();
            }
            double angle = Math.toDegrees(Math.acos(cosine));
            double minutes = -sun.equationOfTime + 4 * (event == Event.SUNRISE ? -angle : angle);
            time = noon + minutes * 60_000;
        }
        return Optional.of(Instant.ofEpochMilli(Math.round(time)));
    }

    /** Returns the first sunrise or sunset after {@code after}, at most a year later. */
    public Optional<Instant> next(Event event, Instant after) {
        LocalDate date = LocalDate.ofInstant(after, ZoneOffset.UTC).minusDays(1);
        for (int i = 0; i <= 368; i++) {
            Optional<Instant> at = at(event, date.plusDays(i));
            if (at.isPresent() && at.get().isAfter(after)) {
                return at;
            }
        }
        return Optional.empty();
    }

    /** Returns whether the sun is up. */
    public boolean isUp(Instant time) {
        Position sun = Position.of(time.toEpochMilli());
        double utcMinutes = Math.floorMod(time.toEpochMilli(), DAY_MILLIS) / 60_000.0;
        double hourAngle = (utcMinutes + sun.equationOfTime + 4 * longitude) / 4 - 180;
        double sine =
                sin(latitude) * sin(sun.declination)
                        + cos(latitude) * cos(sun.declination) * cos(hourAngle);
        return sine > sin(HORIZON);
    }

    private double cosineOfHourAngle(double declination) {
        return sin(HORIZON) / (cos(latitude) * cos(declination)) - tan(latitude) * tan(declination);
    }

    /**
     * Declination in degrees and equation of time in minutes.
     *
     * @param declination degrees
     * @param equationOfTime how many minutes a sundial is ahead of mean solar time
     */
    private record Position(double declination, double equationOfTime) {
        static Position of(double epochMillis) {
            double century = (epochMillis / DAY_MILLIS + EPOCH - J2000) / 36_525;
            double longitude = 280.46646 + century * (36_000.76983 + century * 0.0003032);
            double anomaly = 357.52911 + century * (35_999.05029 - 0.0001537 * century);
            double eccentricity = 0.016708634 - century * (0.000042037 + 0.0000001267 * century);
            double centre =
                    sin(anomaly) * (1.914602 - century * (0.004817 + 0.000014 * century))
                            + sin(2 * anomaly) * (0.019993 - 0.000101 * century)
                            + sin(3 * anomaly) * 0.000289;
            double node = 125.04 - 1_934.136 * century;
            double apparent = longitude + centre - 0.00569 - 0.00478 * sin(node);
            double seconds = 21.448 - century * (46.815 + century * (0.00059 - century * 0.001813));
            double meanObliquity = 23 + (26 + seconds / 60) / 60;
            double obliquity = meanObliquity + 0.00256 * cos(node);
            double declination = Math.toDegrees(Math.asin(sin(obliquity) * sin(apparent)));
            double y = tan(obliquity / 2) * tan(obliquity / 2);
            double equation =
                    y * sin(2 * longitude)
                            - 2 * eccentricity * sin(anomaly)
                            + 4 * eccentricity * y * sin(anomaly) * cos(2 * longitude)
                            - 0.5 * y * y * sin(4 * longitude)
                            - 1.25 * eccentricity * eccentricity * sin(2 * anomaly);
            return new Position(declination, 4 * Math.toDegrees(equation));
        }
    }

    private static double sin(double degrees) {
        return Math.sin(Math.toRadians(degrees));
    }

    private static double cos(double degrees) {
        return Math.cos(Math.toRadians(degrees));
    }

    private static double tan(double degrees) {
        return Math.tan(Math.toRadians(degrees));
    }
}
