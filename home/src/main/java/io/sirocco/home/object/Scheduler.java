// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import io.sirocco.home.schedule.RuleException;
import io.sirocco.home.schedule.WeekTable;
import io.sirocco.home.schedule.WeekTable.SetPoint;
import java.time.Instant;
import java.util.Optional;
import org.luaj.vm2.LuaValue;

/**
 * A value that follows a table of the week, class 16, such as {@code Mon-Fri 06:00=21.5, 22:00=18;
 * Sat,Sun 08:00=22}; {@link WeekTable} describes it.
 *
 * <table>
 * <caption>Interface</caption>
 * <tr><td>features</td><td>0 Data: the table; 1 State: 0 stopped, 1 started; 2 Value: of the set
 *     point in force; a script may set it until the next one; 3 Min (0) and 4 Max (1): limits of
 *     the value, once a script has set one of them</td></tr>
 * <tr><td>methods</td><td>0 Start, 1 Stop</td></tr>
 * <tr><td>events</td><td>0 OnHarmonogram(value): a set point comes into force, or another value
 *     because of a start, of other data or of another time; 1 OnStart, 2 OnStop</td></tr>
 * </table>
 *
 * <p>A table that is wrong is kept as text and logged; the value then stays. Used by one thread,
 * that of the scripts.
 */
final class Scheduler extends ScheduledObject {
    private static final int DATA = 0;
    private static final int STATE = 1;
    private static final int VALUE = 2;
    private static final int MIN = 3;
    private static final int MAX = 4;
    private static final int ON_HARMONOGRAM = 0;
    private static final int ON_START = 1;
    private static final int ON_STOP = 2;
    private static final double LIMIT = 1e12;

    private String text = "";
    private WeekTable table = WeekTable.parse("");
    private double value;
    private double min;
    private double max = 1;
    private boolean limited;

    Scheduler(String name, ObjectContext context) {
        super(name, context, STATE, ON_START, ON_STOP);
    }

    @Override
    public LuaValue get(int index) {
        return switch (index) {
            case DATA -> LuaText.of(text);
            case VALUE -> LuaValue.valueOf(value);
            case MIN -> LuaValue.valueOf(min);
            case MAX -> LuaValue.valueOf(max);
            default -> super.get(index);
        };
    }

    @Override
    public void set(int index, LuaValue given) {
        switch (index) {
            case DATA -> setData(LuaText.text(given));
            case VALUE -> value = limit(number("Value", given, -LIMIT, LIMIT, value));
            case MIN -> {
                min = number("Min", given, -LIMIT, LIMIT, min);
                limited = true;
            }
            case MAX -> {
                max = number("Max", given, -LIMIT, LIMIT, max);
                limited = true;
            }
            default -> super.set(index, given);
        }
    }

    private void setData(String data) {
        text = data;
        try {
            table = WeekTable.parse(data);
        } catch (RuleException e) {
            table = WeekTable.parse("");
            warn("feature Data: " + e.getMessage());
        }
        if (started()) {
            follow();
        }
        reschedule();
    }

    private double limit(double number) {
        return limited ? Math.max(min, Math.min(max, number)) : number;
    }

    /** Takes the value in force, and fires the event if it has changed. */
    private void follow() {
        Optional<SetPoint> current = table.current(now(), zone());
        if (current.isPresent() && limit(current.get().value()) != value) {
            take(current.get());
        }
    }

    private void take(SetPoint point) {
        value = limit(point.value());
        fire(ON_HARMONOGRAM, LuaValue.valueOf(value));
    }

    @Override
    void starting() {
        follow();
    }

    @Override
    void clockChanged() {
        follow();
    }

    @Override
    Optional<Instant> next(Instant after) {
        return table.next(after, zone()).map(SetPoint::at);
    }

    @Override
    void occur(Instant after, Instant until) {
        table.current(until, zone()).ifPresent(this::take);
    }
}
