// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import io.sirocco.home.schedule.Sun;
import io.sirocco.home.schedule.Sun.Event;
import io.sirocco.home.schedule.Zones;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.stream.Stream;
import org.luaj.vm2.LuaValue;

/**
 * Sunrise and sunset of a place, class 39.
 *
 * <table>
 * <caption>Interface</caption>
 * <tr><td>features</td><td>0 Longitude, 1 Latitude: degrees, east and north are positive; those of
 *     the city of the time zone until a script sets one; 2 State: 0 stopped, 1 started; 3
 *     SunriseUTC, 4 SunsetUTC, 5 SunriseLocal, 6 SunsetLocal: HH:mm of today, rounded, empty on a polar day
 *     or in a polar night; 7 SunriseUTCTimestamp, 8 SunsetUTCTimestamp, 9 SunriseLocalTimestamp, 10
 *     SunsetLocalTimestamp: the same four in seconds since 1970, those of local time as the
 *     wall clock shows it, 0 if there is none; 11 IsDayNow: 1 while the sun is up; 12
 *     SunriseOffset, 13 SunsetOffset: minutes, -720 to 720; 14 NextSunrise, 15 NextSunset: minutes,
 *     rounded up, to the next event OnSunrise or OnSunset</td></tr>
 * <tr><td>methods</td><td>0 Start, 1 Stop</td></tr>
 * <tr><td>events</td><td>0 OnStart, 1 OnStop, 2 OnSunrise, 3 OnSunset: with their offsets; 4
 *     OnSunriseSunsetChange: features 3 to 10 have changed; 5 OnDay: the sun rises, 6 OnNight: the
 *     sun sets, both without offset</td></tr>
 * </table>
 *
 * <p>The features do not depend on State. Used by one thread, that of the scripts.
 */
final class SunriseSunsetCalendar extends ScheduledObject {
    private static final int LONGITUDE = 0;
    private static final int LATITUDE = 1;
    private static final int STATE = 2;
    private static final int FIRST_TEXT = 3;
    private static final int FIRST_TIMESTAMP = 7;
    private static final int IS_DAY_NOW = 11;
    private static final int SUNRISE_OFFSET = 12;
    private static final int SUNSET_OFFSET = 13;
    private static final int NEXT_SUNRISE = 14;
    private static final int NEXT_SUNSET = 15;
    private static final int ON_START = 0;
    private static final int ON_STOP = 1;
    private static final int ON_SUNRISE = 2;
    private static final int ON_SUNSET = 3;
    private static final int ON_CHANGE = 4;
    private static final int ON_DAY = 5;
    private static final int ON_NIGHT = 6;
    private static final int MAX_OFFSET = 720;
    private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm");

    private double latitude = Double.NaN; // of the city of the zone, as is the next
    private double longitude = Double.NaN;
    private int sunriseOffset;
    private int sunsetOffset;

    SunriseSunsetCalendar(String name, ObjectContext context) {
        super(name, context, STATE, ON_START, ON_STOP);
    }

    private Sun sun() {
        Sun city = Zones.sun(zone());
        return new Sun(
                Double.isNaN(latitude) ? city.latitude() : latitude,
                Double.isNaN(longitude) ? city.longitude() : longitude);
    }

    private int offset(Event event) {
        return event == Event.SUNRISE ? sunriseOffset : sunsetOffset;
    }

    @Override
    public LuaValue get(int index) {
        return switch (index) {
            case LONGITUDE -> LuaValue.valueOf(sun().longitude());
            case LATITUDE -> LuaValue.valueOf(sun().latitude());
            case 3, 4, 5, 6 -> text(index - FIRST_TEXT);
            case 7, 8, 9, 10 -> timestamp(index - FIRST_TIMESTAMP);
            case IS_DAY_NOW -> bit(sun().isUp(now()));
            case SUNRISE_OFFSET -> LuaValue.valueOf(sunriseOffset);
            case SUNSET_OFFSET -> LuaValue.valueOf(sunsetOffset);
            case NEXT_SUNRISE -> minutesUntil(nextShifted(Event.SUNRISE, now()));
            case NEXT_SUNSET -> minutesUntil(nextShifted(Event.SUNSET, now()));
            default -> super.get(index);
        };
    }

    /** Returns sunrise or sunset of today: 0 and 1 in UTC, 2 and 3 in local time. */
    private LuaValue text(int which) {
        ZoneId shown = which < 2 ? ZoneOffset.UTC : zone();
        return today(which)
                .<LuaValue>map(
                        at -> LuaValue.valueOf(CLOCK.format(at.plusSeconds(30).atZone(shown))))
                .orElse(LuaValue.EMPTYSTRING);
    }

    private LuaValue timestamp(int which) {
        return today(which)
                .map(
                        at ->
                                at.getEpochSecond()
                                        + (which < 2
                                                ? 0
                                                : zone().getRules()
                                                        .getOffset(at)
                                                        .getTotalSeconds()))
                .map(StandardObject::integer)
                .orElse(LuaValue.ZERO);
    }

    private Optional<Instant> today(int which) {
        return sun().at(
                        which % 2 == 0 ? Event.SUNRISE : Event.SUNSET,
                        LocalDate.ofInstant(now(), zone()));
    }

    @Override
    public void set(int index, LuaValue value) {
        switch (index) {
            case LONGITUDE -> longitude = number("Longitude", value, -180, 180, longitude);
            case LATITUDE -> latitude = number("Latitude", value, -90, 90, latitude);
            case SUNRISE_OFFSET ->
                    sunriseOffset =
                            (int)
                                    number(
                                            "SunriseOffset",
                                            value,
                                            -MAX_OFFSET,
                                            MAX_OFFSET,
                                            sunriseOffset);
            case SUNSET_OFFSET ->
                    sunsetOffset =
                            (int)
                                    number(
                                            "SunsetOffset",
                                            value,
                                            -MAX_OFFSET,
                                            MAX_OFFSET,
                                            sunsetOffset);
            case 3, 4, 5, 6, 7, 8, 9, 10, IS_DAY_NOW, NEXT_SUNRISE, NEXT_SUNSET -> {
                readOnly(Integer.toString(index));
                return;
            }
            default -> {
                super.set(index, value);
                return;
            }
        }
        if (started() && index <= LATITUDE) {
            fire(ON_CHANGE);
        }
        reschedule();
    }

    @Override
    void clockChanged() {
        fire(ON_CHANGE);
    }

    private Optional<Instant> nextShifted(Event event, Instant after) {
        Duration offset = Duration.ofMinutes(offset(event));
        return sun().next(event, after.minus(offset)).map(at -> at.plus(offset));
    }

    private Instant nextMidnight(Instant after) {
        return LocalDate.ofInstant(after, zone()).plusDays(1).atStartOfDay(zone()).toInstant();
    }

    @Override
    Optional<Instant> next(Instant after) {
        return Stream.of(
                        nextShifted(Event.SUNRISE, after),
                        nextShifted(Event.SUNSET, after),
                        sun().next(Event.SUNRISE, after),
                        sun().next(Event.SUNSET, after),
                        Optional.of(nextMidnight(after)))
                .flatMap(Optional::stream)
                .min(Instant::compareTo);
    }

    @Override
    void occur(Instant after, Instant until) {
        fire(ON_CHANGE, Optional.of(nextMidnight(after)), until);
        fire(ON_DAY, sun().next(Event.SUNRISE, after), until);
        fire(ON_SUNRISE, nextShifted(Event.SUNRISE, after), until);
        fire(ON_NIGHT, sun().next(Event.SUNSET, after), until);
        fire(ON_SUNSET, nextShifted(Event.SUNSET, after), until);
    }

    private void fire(int event, Optional<Instant> at, Instant until) {
        if (at.isPresent() && !at.get().isAfter(until)) {
            fire(event);
        }
    }
}
