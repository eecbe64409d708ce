// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.schedule;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A rule of an event scheduler: {@code NAME: TIME}, or a time alone, without a name. The time is a rule of {@link Cron}, or
 * sunrise or sunset with an offset and days: {@code garden: @sunset+1h30m Mon-Fri}, {@code hens:
 * @sunrise-15m}. The sun is that over the city of the time zone, unless the rule names a place:
 * {@code @sunset(54.35,18.65)}, latitude and longitude in degrees. An offset is at most 12 hours.
 * The days are those on which the sun itself rises or sets. A rule that begins with {@code !} is
 * disabled. Immutable.
 *
 * @param name empty for none, or of 1 to 64 letters, digits, blanks, {@code _}, {@code -} and {@code .}
 * @param enabled whether it occurs
 * @param time when
 */
public record EventRule(String name, boolean enabled, Time time) {
    private static final Pattern RULE =
            Pattern.compile(
                    "(!?)\\s*(?:([\\p{L}\\p{N}_.][\\p{L}\\p{N}_. -]{0,63}?)\\s*:)?\\s*(.+)");
    private static final Pattern SOLAR =
            Pattern.compile(
                    "@(sunrise|sunset)"
                            + "(?:\\(\\s*(-?[0-9.]{1,12})\\s*,\\s*(-?[0-9.]{1,12})\\s*\\))?"
                            + "(?:([+-])(?:([0-9]{1,2})h)?(?:([0-9]{1,3})m)?)?"
                            + "(?:\\s+(\\S.*))?",
                    Pattern.CASE_INSENSITIVE);
    private static final Duration MAX_OFFSET = Duration.ofHours(12);
    private static final int MAX_DAYS = 370;
    private static final int MAX_LENGTH = 1_000;

    /** When a rule occurs. Immutable. */
    public sealed interface Time {
        /** Returns the first occurrence after {@code after}. */
        Optional<Instant> next(Instant after, ZoneId zone);
    }

    private record Clock(Cron cron) implements Time {
        @Override
        public Optional<Instant> next(Instant after, ZoneId zone) {
            return cron.next(after, zone);
        }

        @Override
        public String toString() {
            return cron.toString();
        }
    }

    private record Solar(
            String text, Sun.Event event, Optional<Sun> place, Duration offset, Set<DayOfWeek> days)
            implements Time {
        @Override
        public Optional<Instant> next(Instant after, ZoneId zone) {
            Sun sun = place.orElseGet(() -> Zones.sun(zone));
            LocalDate first = LocalDate.ofInstant(after, zone).minusDays(2);
            for (int i = 0; i < MAX_DAYS; i++) {
                Optional<Instant> solar = sun.at(event, first.plusDays(i));
                if (solar.isPresent()
                        && solar.get().plus(offset).isAfter(after)
                        && days.contains(LocalDate.ofInstant(solar.get(), zone).getDayOfWeek())) {
                    return solar.map(time -> time.plus(offset));
                }
            }
            return Optional.empty();
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /**
     * Parses a rule.
     *
     * @throws RuleException if it is none
     */
    public static EventRule parse(String rule) {
        RuleException.checkLength(rule, MAX_LENGTH);
        Matcher matcher = RULE.matcher(rule.strip());
        if (!matcher.matches()) {
            throw new RuleException(
                    rule,
                    "a time is expected, with a name and a colon before it if you like, as in \"lights: 0 22 * * *\" or"
                            + " \"garden: @sunset+30m\".");
        }
        String time = matcher.group(3).strip();
        return new EventRule(
                matcher.group(2) == null ? "" : matcher.group(2),
                matcher.group(1).isEmpty(),
                time.toLowerCase(Locale.ROOT).startsWith("@sun")
                        ? solar(rule, time)
                        : new Clock(Cron.parse(time)));
    }

    /**
     * Parses rules that are separated by semicolons or line breaks; an empty text has none.
     *
     * @throws RuleException if one is wrong
     */
    public static List<EventRule> parseAll(String rules) {
        var all = new ArrayList<EventRule>();
        for (String rule : rules.split("[;\n]")) {
            if (!rule.isBlank()) {
                all.add(parse(rule));
            }
        }
        return List.copyOf(all);
    }

    private static Solar solar(String rule, String time) {
        Matcher matcher = SOLAR.matcher(time);
        boolean matches = matcher.matches();
        boolean signed = matches && matcher.group(4) != null;
        boolean amount = matches && (matcher.group(5) != null || matcher.group(6) != null);
        if (!matches || signed != amount) {
            throw new RuleException(
                    rule,
                    "\""
                            + time
                            + "\" is no time of the sun. Write @sunrise or @sunset, with an offset"
                            + " such as +30m or -1h15m and days such as Mon-Fri if you like.");
        }
        Duration offset =
                Duration.ofHours(number(matcher.group(5))).plusMinutes(number(matcher.group(6)));
        if (offset.compareTo(MAX_OFFSET) > 0) {
            throw new RuleException(rule, "an offset is at most 12 hours.");
        }
        return new Solar(
                time,
                Sun.Event.valueOf(matcher.group(1).toUpperCase(Locale.ROOT)),
                place(rule, matcher.group(2), matcher.group(3)),
                "-".equals(matcher.group(4)) ? offset.negated() : offset,
                matcher.group(7) == null
                        ? EnumSet.allOf(DayOfWeek.class)
                        : Weekdays.parse(rule, matcher.group(7)));
    }

    private static Optional<Sun> place(String rule, String latitude, String longitude) {
        if (latitude == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(
                    new Sun(Double.parseDouble(latitude), Double.parseDouble(longitude)));
        } catch (NumberFormatException e) {
            throw new RuleException(rule, "the place is no pair of numbers.");
        } catch (IllegalArgumentException e) {
            throw new RuleException(rule, e.getMessage());
        }
    }

    private static long number(String digits) {
        return digits == null ? 0 : Long.parseLong(digits);
    }

    /** Returns the first occurrence after {@code after}; empty for a disabled rule. */
    public Optional<Instant> next(Instant after, ZoneId zone) {
        return enabled ? time.next(after, zone) : Optional.empty();
    }

    /** Returns this rule enabled or disabled. */
    public EventRule withEnabled(boolean value) {
        return new EventRule(name, value, time);
    }

    /** Returns the rule as it is written. */
    @Override
    public String toString() {
        return (enabled ? "" : "!") + (name.isEmpty() ? "" : name + ": ") + time;
    }
}
