// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import io.sirocco.home.lua.ScriptThread.Scheduled;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Optional;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;

/**
 * Base of the objects that act at times of the wall clock. Method 0 is Start, 1 is Stop; to set
 * feature State to 1 or 0 does the same.
 *
 * <p>When the clock is set by less than three hours, times that it skips occur at once, together,
 * and times that it repeats do not occur again, as in Debian's cron. When it is set further, or
 * there is another time zone, the next time is computed anew, and what was skipped is skipped. Used
 * by one thread, that of the scripts.
 */
abstract class ScheduledObject extends StandardObject {

    private static final int START = 0;
    private static final int STOP = 1;
    private static final Duration CLOCK_WAS_SET = Duration.ofHours(3);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(60); // a clock can be set

    private final int stateFeature;
    private final int onStart;
    private final int onStop;
    private final ClockWatch watch;
    private boolean started;
    private Instant from; // occurrences after it are still to come
    private Optional<Instant> due = Optional.empty();
    private Scheduled alarm = () -> {};

    ScheduledObject(String name, ObjectContext context, int stateFeature, int onStart, int onStop) {
        super(name, context);
        this.stateFeature = stateFeature;
        this.onStart = onStart;
        this.onStop = onStop;
        this.watch = new ClockWatch(context);
        this.from = now();
    }

    /** Returns the first time after {@code after} at which {@link #occur} is to be called. */
    abstract Optional<Instant> next(Instant after);

    /**
     * Called once for all times after {@code after} up to {@code until}; more than one only if the
     * thread was busy or the clock was set.
     */
    abstract void occur(Instant after, Instant until);

    /** Called when the object starts, before its event. */
    void starting() {}

    /** Called when the clock was set far, or there is another zone. */
    void clockChanged() {}

    final boolean started() {
        return started;
    }

    final Instant now() {
        return context().scripts().clock().instant();
    }

    final ZoneId zone() {
        return context().zone().get();
    }

    /** Returns when it acts next; empty while stopped. */
    final Optional<Instant> due() {
        return due;
    }

    /** Returns full minutes until {@code time}, rounded up, or -1. */
    final LuaValue minutesUntil(Optional<Instant> time) {
        return time.map(at -> Math.max(0, Duration.between(now(), at).toMillis()))
                .map(millis -> integer(Math.ceilDiv(millis, 60_000L)))
                .orElse(LuaValue.valueOf(-1));
    }

    @Override
    public LuaValue get(int index) {
        return index == stateFeature ? bit(started) : super.get(index);
    }

    @Override
    public void set(int index, LuaValue value) {
        if (index != stateFeature) {
            super.set(index, value);
        } else if (isOn(value)) {
            start();
        } else {
            stop();
        }
    }

    @Override
    public Varargs execute(int method, Varargs arguments) {
        switch (method) {
            case START -> start();
            case STOP -> stop();
            default -> {
                return super.execute(method, arguments);
            }
        }
        return LuaValue.NIL;
    }

    private void start() {
        if (started) {
            return;
        }
        started = true;
        watch.change();
        from = now();
        starting();
        fire(onStart);
        reschedule();
    }

    private void stop() {
        if (!started) {
            return;
        }
        started = false;
        reschedule();
        fire(onStop);
    }

    /** Computes the next time again, because a rule has changed. */
    final void reschedule() {
        alarm.cancel();
        due = started ? next(from.isAfter(now()) ? from : now()) : Optional.empty();
        scheduleNext();
    }

    private void scheduleNext() {
        alarm.cancel();
        if (due.isPresent()) {
            Duration rest = Duration.between(now(), due.get());
            Duration wait = rest.compareTo(LONGEST_WAIT) < 0 ? rest : LONGEST_WAIT;
            alarm =
                    context()
                            .scripts()
                            .schedule(name(), wait.isNegative() ? Duration.ZERO : wait, this::ring);
        }
    }

    private void ring() {
        if (!started || due.isEmpty()) {
            return;
        }
        Instant time = now();
        Instant at = due.get();
        if (time.isBefore(at)) {
            scheduleNext();
        } else if (Duration.between(at, time).compareTo(CLOCK_WAS_SET) >= 0) {
            from = time;
            reschedule();
        } else {
            Instant after = at.minusNanos(1);
            from = time;
            reschedule();
            occur(after, time);
        }
    }

    @Override
    public void loop() {
        ClockWatch.Change change = watch.change();
        if (!started || !change.any()) {
            return;
        }
        if (change.zone() || change.jump().abs().compareTo(CLOCK_WAS_SET) >= 0) {
            from = now();
            clockChanged();
            reschedule();
        } else {
            ring();
        }
    }

    @Override
    public void close() {
        started = false;
        alarm.cancel();
    }
}
