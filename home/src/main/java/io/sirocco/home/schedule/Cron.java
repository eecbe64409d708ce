// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.schedule;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A rule of cron: minute, hour, day of the month, month, day of the week.
 *
 * <table>
 * <caption>Fields</caption>
 * <tr><td>minute</td><td>0 to 59</td></tr>
 * <tr><td>hour</td><td>0 to 23</td></tr>
 * <tr><td>day of the month</td><td>1 to 31; {@code L}: the last one</td></tr>
 * <tr><td>month</td><td>1 to 12, or Jan to Dec</td></tr>
 * <tr><td>day of the week</td><td>0 to 7 (0 and 7: Sunday), or Mon to Sun; {@code Fri#2}: the
 *     second Friday of the month; {@code FriL}: the last one</td></tr>
 * </table>
 *
 * <p>A field is {@code *}, or a list of values, ranges ({@code Mon-Fri}) and steps ({@code *}{@code
 * /5}, {@code 8-18/2}), separated by commas; {@code ?} is another {@code *}. If both fields of days
 * are restricted, one of them must match, as in every cron. {@code @yearly}, {@code @monthly},
 * {@code @weekly}, {@code @daily} and {@code @hourly} stand for rules at the beginning of each.
 *
 * <p>When clocks change, a rule does as that of Debian's cron: one whose minute or hour begins with
 * {@code *} follows elapsed time, so it occurs in both passes of a repeated hour and not in a
 * skipped one. Any other occurs once: a time that is skipped occurs at the end of the gap, a time
 * that is repeated occurs in the first pass. Immutable.
 */
public final class Cron {
    /** Days to search: 29 February on a given day of the week comes within 40 years. */
    private static final int MAX_DAYS = 41 * 366;

    private static final int MAX_RULES = 100;
    private static final int MAX_LENGTH = 1_000;
    private static final int SUNDAY = 7;
    private static final Map<String, String> NICKNAMES =
            Map.of(
                    "@yearly", "0 0 1 1 *",
                    "@monthly", "0 0 1 * *",
                    "@weekly", "0 0 * * 0",
                    "@daily", "0 0 * * *",
                    "@midnight", "0 0 * * *",
                    "@hourly", "0 * * * *");

    private final String text;
    private final long minutes; // bit n: minute n; so are the others
    private final long hours;
    private final long days;
    private final boolean lastDay;
    private final long months;
    private final long weekdays; // bits 1 to 7, as DayOfWeek
    private final long nthWeekdays; // bit 8 * week + weekday, weeks 1 to 5; week 6: the last one
    private final boolean anyDay;
    private final boolean anyWeekday;
    private final boolean elapsed; // follows elapsed time

    private Cron(String text, String[] fields) {
        this.text = text;
        var minute = new CronField(text, "minute", 0, 59, List.of());
        var hour = new CronField(text, "hour", 0, 23, List.of());
        var day = new CronField(text, "day of the month", 1, 31, List.of());
        var month = new CronField(text, "month", 1, 12, CronField.MONTHS);
        minutes = minute.parse(fields[0]);
        hours = hour.parse(fields[1]);
        months = month.parse(fields[3]);
        elapsed = fields[0].startsWith("*") || fields[1].startsWith("*");
        anyDay = fields[2].startsWith("*") || fields[2].equals("?");
        anyWeekday = fields[4].startsWith("*") || fields[4].equals("?");
        long dayBits = 0;
        boolean last = false;
        for (String item : CronField.items(text, "day of the month", fields[2])) {
            if (item.equalsIgnoreCase("L")) {
                last = true;
            } else {
                dayBits |= day.item(item);
            }
        }
        days = dayBits;
        lastDay = last;
        var weekday = new CronField(text, "day of the week", 0, 7, CronField.WEEKDAYS);
        long weekdayBits = 0;
        long nth = 0;
        for (String item : CronField.items(text, "day of the week", fields[4])) {
            int sharp = item.indexOf('#');
            if (sharp >= 0) {
                int week = CronField.number(item.substring(sharp + 1));
                if (week < 1 || week > 5) {
                    throw new RuleException(
                            text,
                            "\"%s\": the number behind # is 1 to 5, as in \"Fri#2\", the second Friday."
                                    .formatted(item));
                }
                nth |= 1L << 8 * week + sunday(weekday.value(item.substring(0, sharp)));
            } else if (item.length() > 1 && item.toUpperCase(Locale.ROOT).endsWith("L")) {
                nth |= 1L << 8 * 6 + sunday(weekday.value(item.substring(0, item.length() - 1)));
            } else {
                weekdayBits |= weekday.item(item);
            }
        }
        if ((weekdayBits & 1) != 0) {
            weekdayBits |= 1L << SUNDAY;
        }
        weekdays = weekdayBits;
        nthWeekdays = nth;
    }

    private static int sunday(int weekday) {
        return weekday == 0 ? SUNDAY : weekday;
    }

    /**
     * Parses one rule.
     *
     * @throws RuleException if it is none, or never occurs
     */
    public static Cron parse(String rule) {
        RuleException.checkLength(rule, MAX_LENGTH);
        String text = rule.strip();
        String expanded = NICKNAMES.getOrDefault(text.toLowerCase(Locale.ROOT), text);
        String[] fields = expanded.split("\\s+");
        if (fields.length != 5) {
            throw new RuleException(
                    text,
                    "a rule has five fields (minute, hour, day, month, day of the week), this has "
                            + (expanded.isEmpty() ? 0 : fields.length)
                            + ". Write \"30 6 * * Mon-Fri\" for half past six on weekdays.");
        }
        var cron = new Cron(text, fields);
        if (cron.next(Instant.parse("2000-01-01T00:00:00Z"), ZoneOffset.UTC).isEmpty()) {
            throw new RuleException(text, "no year has such a day.");
        }
        return cron;
    }

    /**
     * Parses rules that are separated by semicolons or line breaks; an empty text has none.
     *
     * @throws RuleException if one is wrong, or if there are more than 100
     */
    public static List<Cron> parseAll(String rules) {
        var all = new ArrayList<Cron>();
        for (String rule : rules.split("[;\n]")) {
            if (!rule.isBlank()) {
                if (all.size() == MAX_RULES) {
                    throw new RuleException(rules, "there are more than " + MAX_RULES + " rules.");
                }
                all.add(parse(rule));
            }
        }
        return List.copyOf(all);
    }

    /** Returns the first occurrence of any of {@code rules} after {@code after}. */
    public static Optional<Instant> next(List<Cron> rules, Instant after, ZoneId zone) {
        return rules.stream()
                .flatMap(rule -> rule.next(after, zone).stream())
                .min(Instant::compareTo);
    }

    /**
     * Returns the first occurrence after {@code after}. Empty only if there is none for 40 years.
     */
    public Optional<Instant> next(Instant after, ZoneId zone) {
        return elapsed ? nextElapsed(after, zone) : nextFixed(after, zone);
    }

    private Optional<Instant> nextFixed(Instant after, ZoneId zone) {
        LocalDate date = LocalDate.ofInstant(after, zone);
        for (int i = 0; i < MAX_DAYS; i++, date = date.plusDays(1)) {
            if (!occursOn(date)) {
                continue;
            }
            for (int hour = 0; hour < 24; hour++) {
                for (int minute = 0; has(hours, hour) && minute < 60; minute++) {
                    if (has(minutes, minute)) {
                        Instant at = LocalTimes.instant(date.atTime(hour, minute), zone);
                        if (at.isAfter(after)) {
                            return Optional.of(at);
                        }
                    }
                }
            }
        }
        return Optional.empty();
    }

    private Optional<Instant> nextElapsed(Instant after, ZoneId zone) {
        ZonedDateTime at = after.truncatedTo(ChronoUnit.MINUTES).atZone(zone).plusMinutes(1);
        LocalDate end = at.toLocalDate().plusDays(MAX_DAYS);
        while (at.toLocalDate().isBefore(end)) {
            if (!occursOn(at.toLocalDate())) {
                at = at.toLocalDate().plusDays(1).atStartOfDay(zone);
            } else if (!has(hours, at.getHour())) {
                at = at.plusMinutes(60 - at.getMinute());
            } else if (!has(minutes, at.getMinute())) {
                at = at.plusMinutes(1);
            } else {
                return Optional.of(at.toInstant());
            }
        }
        return Optional.empty();
    }

    private boolean occursOn(LocalDate date) {
        if (!has(months, date.getMonthValue())) {
            return false;
        }
        boolean day =
                has(days, date.getDayOfMonth())
                        || lastDay && date.getDayOfMonth() == date.lengthOfMonth();
        boolean weekday = isWeekday(date);
        return anyDay || anyWeekday ? day && weekday : day || weekday;
    }

    private boolean isWeekday(LocalDate date) {
        DayOfWeek weekday = date.getDayOfWeek();
        int week = (date.getDayOfMonth() - 1) / 7 + 1;
        boolean last = date.getDayOfMonth() + 7 > date.lengthOfMonth();
        return has(weekdays, weekday.getValue())
                || has(nthWeekdays, 8 * week + weekday.getValue())
                || last && has(nthWeekdays, 8 * 6 + weekday.getValue());
    }

    private static boolean has(long bits, int value) {
        return (bits >>> value & 1) != 0;
    }

    /** Returns the rule as it was written. */
    @Override
    public String toString() {
        return text;
    }
}
