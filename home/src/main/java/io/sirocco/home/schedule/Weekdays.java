// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.schedule;

import java.time.DayOfWeek;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Parses days of the week: {@code Mon-Fri}, {@code Sat,Sun}, {@code Fri-Mon}, {@code *}. Any
 * thread.
 */
final class Weekdays {
    private static final List<String> NAMES =
            List.of("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN");

    private Weekdays() {}

    static Set<DayOfWeek> parse(String rule, String days) {
        if (days.equals("*")) {
            return EnumSet.allOf(DayOfWeek.class);
        }
        var set = EnumSet.noneOf(DayOfWeek.class);
        for (String item : days.split(",", -1)) {
            int dash = item.indexOf('-');
            DayOfWeek day = day(rule, dash < 0 ? item : item.substring(0, dash));
            DayOfWeek last = dash < 0 ? day : day(rule, item.substring(dash + 1));
            set.add(day);
            while (day != last) {
                day = day.plus(1);
                set.add(day);
            }
        }
        return set;
    }

    private static DayOfWeek day(String rule, String name) {
        int index = NAMES.indexOf(name.strip().toUpperCase(Locale.ROOT));
        if (index < 0) {
            throw new RuleException(
                    rule,
                    "\""
                            + name
                            + "\" is no day of the week. Write Mon, Tue, Wed, Thu, Fri, Sat or Sun,"
                            + " a range such as Mon-Fri, or * for all days.");
        }
        return DayOfWeek.of(index + 1);
    }
}
