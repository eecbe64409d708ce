// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import io.sirocco.home.lua.ScriptThread.Scheduled;
import java.time.Duration;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;

/**
 * A timer, class 6: counts down once, or triggers at an interval.
 *
 * <table>
 * <caption>Interface</caption>
 * <tr><td>features</td><td>0 Time in ms, 1 to 2^31-1, in force from the next start or interval; 1
 *     Mode: 0 counts down once, 1 interval; 2 State: 0 stopped, 1 counting, 2 paused; 3 Value:
 *     ms that remain, 0 when stopped</td></tr>
 * <tr><td>methods</td><td>0 Start: starts, also from the beginning, or goes on if paused; 1 Stop; 2
 *     Pause: pauses, or goes on</td></tr>
 * <tr><td>events</td><td>0 OnTimer, 1 OnStart, 2 OnStop (by Stop, and when a countdown ends, before
 *     OnTimer), 3 OnPause</td></tr>
 * </table>
 *
 * <p>Intervals are counted from the start, so they do not drift. Intervals that pass while the
 * thread of the scripts is busy trigger one event together. Used by one thread, that of the
 * scripts.
 */
final class Timer extends StandardObject {
    private static final int TIME = 0;
    private static final int MODE = 1;
    private static final int STATE = 2;
    private static final int VALUE = 3;
    private static final int START = 0;
    private static final int STOP = 1;
    private static final int PAUSE = 2;
    private static final int ON_TIMER = 0;
    private static final int ON_START = 1;
    private static final int ON_STOP = 2;
    private static final int ON_PAUSE = 3;
    private static final long NANOS_PER_MS = 1_000_000;

    private enum State {
        STOPPED,
        COUNTING,
        PAUSED
    }

    private long time = 1_000;
    private boolean interval;
    private State state = State.STOPPED;
    private long due; // by nanoTime, while counting
    private long rest; // in ns, while paused
    private Scheduled alarm = () -> {};

    Timer(String name, ObjectContext context) {
        super(name, context);
    }

    @Override
    public LuaValue get(int index) {
        return switch (index) {
            case TIME -> integer(time);
            case MODE -> bit(interval);
            case STATE -> LuaValue.valueOf(state.ordinal());
            case VALUE -> integer((remaining() + NANOS_PER_MS - 1) / NANOS_PER_MS);
            default -> super.get(index);
        };
    }

    private long remaining() {
        return switch (state) {
            case STOPPED -> 0;
            case COUNTING -> Math.max(0, due - now());
            case PAUSED -> rest;
        };
    }

    @Override
    public void set(int index, LuaValue value) {
        switch (index) {
            case TIME -> time = (long) number("Time", value, 1, Integer.MAX_VALUE, time);
            case MODE -> interval = number("Mode", value, 0, 1, interval ? 1 : 0) == 1;
            case STATE, VALUE -> readOnly(index == STATE ? "State" : "Value");
            default -> super.set(index, value);
        }
    }

    @Override
    public Varargs execute(int method, Varargs arguments) {
        switch (method) {
            case START -> start();
            case STOP -> stop();
            case PAUSE -> pause();
            default -> {
                return super.execute(method, arguments);
            }
        }
        return LuaValue.NIL;
    }

    private void start() {
        boolean paused = state == State.PAUSED;
        count(paused ? rest : time * NANOS_PER_MS);
        fire(ON_START);
    }

    private void count(long nanos) {
        state = State.COUNTING;
        due = now() + nanos;
        schedule();
    }

    private void schedule() {
        alarm.cancel();
        alarm =
                context()
                        .scripts()
                        .schedule(name(), Duration.ofNanos(Math.max(0, due - now())), this::ring);
    }

    private void ring() {
        if (state != State.COUNTING) {
            return;
        }
        if (interval) {
            long period = time * NANOS_PER_MS;
            long missed = (now() - due) / period;
            due += (missed + 1) * period;
            schedule();
        } else {
            state = State.STOPPED;
            fire(ON_STOP);
        }
        fire(ON_TIMER);
    }

    private void stop() {
        alarm.cancel();
        if (state != State.STOPPED) {
            state = State.STOPPED;
            fire(ON_STOP);
        }
    }

    private void pause() {
        if (state == State.PAUSED) {
            start();
        } else if (state == State.COUNTING) {
            alarm.cancel();
            rest = remaining();
            state = State.PAUSED;
            fire(ON_PAUSE);
        }
    }

    private long now() {
        return context().scripts().nanoTime();
    }

    @Override
    public void close() {
        alarm.cancel();
        state = State.STOPPED;
    }
}
