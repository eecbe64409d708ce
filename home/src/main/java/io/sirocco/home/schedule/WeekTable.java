// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.schedule;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A table of set points over a week, such as {@code Mon-Fri 06:00=21.5, 22:00=18; Sat,Sun
 * 08:00=22}: groups of days, separated by semicolons or line breaks, each with times and values.
 * {@code *} stands for all days. A value is in force until the next set point, over midnight and
 * over the end of the week.
 *
 * <p>When clocks change, a set point whose time is skipped occurs at the end of the gap; one whose
 * time is repeated occurs in the first pass. Immutable.
 */
public final class WeekTable {
    private static final int MAX_POINTS = 1_000;
    private static final int MAX_LENGTH = 4_000; // of a group
    private static final Pattern GROUP =
            Pattern.compile("(\\*|[A-Za-z][A-Za-z,\\- ]*?)\\s+([0-9].*)");
    private static final Pattern POINT =
            Pattern.compile("([0-9]{1,2}):([0-9]{2})\\s*=\\s*(-?[0-9]{1,9}(?:\\.[0-9]{1,9})?)");

    private final Map<DayOfWeek, List<Point>> days;
    private final int size;

    private record Point(LocalTime time, double value) {}

    /**
     * A set point at its time. Immutable.
     *
     * @param at when it comes into force
     * @param value the value from then on
     */
    public record SetPoint(Instant at, double value) {}

    private WeekTable(Map<DayOfWeek, List<Point>> days) {
        this.days = days;
        this.size = days.values().stream().mapToInt(List::size).sum();
    }

    /**
     * Parses a table; an empty text is an empty table.
     *
     * @throws RuleException if it is wrong, gives two values for one time, or has more than 1,000
     *     set points
     */
    public static WeekTable parse(String text) {
        var days = new EnumMap<DayOfWeek, List<Point>>(DayOfWeek.class);
        for (String part : text.split("[;\n]")) {
            if (!part.isBlank()) {
                group(part.strip(), days);
            }
        }
        days.values().forEach(points -> points.sort(Comparator.comparing(Point::time)));
        var table = new WeekTable(days);
        if (table.size > MAX_POINTS) {
            throw new RuleException(text, "a week has at most " + MAX_POINTS + " set points.");
        }
        return table;
    }

    private static void group(String text, Map<DayOfWeek, List<Point>> days) {
        RuleException.checkLength(text, MAX_LENGTH);
        Matcher group = GROUP.matcher(text);
        if (!group.matches()) {
            throw new RuleException(
                    text,
                    "days and set points are expected, as in \"Mon-Fri 06:00=21.5, 22:00=18\".");
        }
        for (String item : group.group(2).split(",", -1)) {
            Point point = point(text, item.strip());
            for (DayOfWeek day : Weekdays.parse(text, group.group(1))) {
                List<Point> points = days.computeIfAbsent(day, key -> new ArrayList<>());
                if (points.stream().anyMatch(other -> other.time.equals(point.time))) {
                    throw new RuleException(
                            text, day + " has two values at " + point.time + ". Remove one.");
                }
                points.add(point);
            }
        }
    }

    private static Point point(String rule, String text) {
        Matcher point = POINT.matcher(text);
        int hour = point.matches() ? Integer.parseInt(point.group(1)) : 24;
        int minute = hour < 24 ? Integer.parseInt(point.group(2)) : 60;
        if (minute >= 60) {
            throw new RuleException(
                    rule,
                    "\"" + text + "\" is no set point. Write time=value, as in \"06:30=21.5\".");
        }
        return new Point(LocalTime.of(hour, minute), Double.parseDouble(point.group(3)));
    }

    /** Returns how many set points a week has. */
    public int size() {
        return size;
    }

    /** Returns the set point that is in force at {@code time}; empty for an empty table. */
    public Optional<SetPoint> current(Instant time, ZoneId zone) {
        return days(time, zone, -8, 1).stream()
                .filter(point -> !point.at.isAfter(time))
                .max(Comparator.comparing(SetPoint::at));
    }

    /** Returns the first set point after {@code after}; empty for an empty table. */
    public Optional<SetPoint> next(Instant after, ZoneId zone) {
        return days(after, zone, -1, 8).stream()
                .filter(point -> point.at.isAfter(after))
                .min(Comparator.comparing(SetPoint::at));
    }

    private List<SetPoint> days(Instant time, ZoneId zone, int first, int last) {
        LocalDate today = LocalDate.ofInstant(time, zone);
        var all = new ArrayList<SetPoint>();
        for (int i = first; i <= last; i++) {
            LocalDate date = today.plusDays(i);
            for (Point point : days.getOrDefault(date.getDayOfWeek(), List.of())) {
                all.add(
                        new SetPoint(
                                LocalTimes.instant(date.atTime(point.time), zone), point.value));
            }
        }
        return all;
    }
}
