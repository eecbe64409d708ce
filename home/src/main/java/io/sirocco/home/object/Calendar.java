// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import io.sirocco.home.schedule.Cron;
import io.sirocco.home.schedule.RuleException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;

/**
 * A calendar, class 15: an event by rules of {@link Cron}, such as {@code 30 6 * * Mon-Fri; 0 9 * *
 * Sat,Sun}.
 *
 * <table>
 * <caption>Interface</caption>
 * <tr><td>features</td><td>0 Rule: rules separated by semicolons; 1 SinceLastRun: full minutes, -1
 *     before the first; 2 ToNextRun: minutes, rounded up, to the next run that is not canceled, -1
 *     if there is none; 3 State: 0 stopped, 1 started</td></tr>
 * <tr><td>methods</td><td>0 Start, 1 Stop, 3 CancelNext(n): cancels the next n runs, 1 if n is
 *     missing, 0 for none</td></tr>
 * <tr><td>events</td><td>0 OnCalendar: a run, 1 OnStart, 2 OnStop, 3 OnCancel: instead of a run
 *     that is canceled</td></tr>
 * </table>
 *
 * <p>A rule that is wrong is kept as text and logged; the object then has no run. Used by one
 * thread, that of the scripts.
 */
final class Calendar extends ScheduledObject {
    private static final int RULE = 0;
    private static final int SINCE_LAST_RUN = 1;
    private static final int TO_NEXT_RUN = 2;
    private static final int STATE = 3;
    private static final int CANCEL_NEXT = 3;
    private static final int ON_CALENDAR = 0;
    private static final int ON_START = 1;
    private static final int ON_STOP = 2;
    private static final int ON_CANCEL = 3;
    private static final int MAX_CANCELED = 1_000;
    private static final int STEPS_OF_RULE = 1_000; // what a rule with rare days costs, about

    private String text = "";
    private List<Cron> rules = List.of();
    private int canceled; // so many of the next runs
    private Optional<Long> lastRun = Optional.empty(); // by nanoTime

    Calendar(String name, ObjectContext context) {
        super(name, context, STATE, ON_START, ON_STOP);
    }

    @Override
    public LuaValue get(int index) {
        return switch (index) {
            case RULE -> LuaText.of(text);
            case SINCE_LAST_RUN ->
                    lastRun.map(at -> Duration.ofNanos(nanos() - at).toMinutes())
                            .map(StandardObject::integer)
                            .orElse(LuaValue.valueOf(-1));
            case TO_NEXT_RUN -> minutesUntil(nextRun());
            default -> super.get(index);
        };
    }

    private Optional<Instant> nextRun() {
        Optional<Instant> run = due();
        for (int i = 0; i < canceled && run.isPresent(); i++) {
            run = next(run.get());
            context().scripts().spend((long) rules.size() * STEPS_OF_RULE);
        }
        return run;
    }

    private long nanos() {
        return context().scripts().nanoTime();
    }

    @Override
    public void set(int index, LuaValue value) {
        switch (index) {
            case RULE -> {
                text = LuaText.text(value);
                try {
                    rules = Cron.parseAll(text);
                } catch (RuleException e) {
                    rules = List.of();
                    warn("feature Rule: " + e.getMessage());
                }
                reschedule();
            }
            case SINCE_LAST_RUN -> readOnly("SinceLastRun");
            case TO_NEXT_RUN -> readOnly("ToNextRun");
            default -> super.set(index, value);
        }
    }

    @Override
    public Varargs execute(int method, Varargs arguments) {
        if (method != CANCEL_NEXT) {
            return super.execute(method, arguments);
        }
        canceled = arguments.narg() == 0 ? 1 : integer("CancelNext", arguments, 1, 0, MAX_CANCELED);
        return LuaValue.NIL;
    }

    @Override
    Optional<Instant> next(Instant after) {
        return Cron.next(rules, after, zone());
    }

    @Override
    void occur(Instant after, Instant until) {
        if (canceled > 0) {
            canceled--;
            fire(ON_CANCEL);
        } else {
            lastRun = Optional.of(nanos());
            fire(ON_CALENDAR);
        }
    }
}
