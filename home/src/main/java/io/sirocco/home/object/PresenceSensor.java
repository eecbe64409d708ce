// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import io.sirocco.home.lua.ScriptThread.Scheduled;
import java.time.Duration;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;

/**
 * Presence in a room, class 40, from the signals of motion sensors: it lasts for a time after the
 * last signal.
 *
 * <table>
 * <caption>Interface</caption>
 * <tr><td>features</td><td>0 Timeout: s, from 5 to 86400 (60); 1 State: 0 stopped, 1 started; 2
 *     PresenceDetected; 3 TimeFromLastPresence: s since the last signal, 0 during one and before
 *     the first; 4 DetectionDelay: s after OnSwitchOff in which signals are ignored, as the lamp
 *     that goes out may cause one, from 0 to 3600 (2); 5 Locked; 6 Mode: 0, a sensor reports each
 *     motion, the timeout begins at DetectPresence; 1, a sensor reports beginning and end, the
 *     timeout begins at UndetectPresence</td></tr>
 * <tr><td>methods</td><td>0 Start, 1 Stop: also ends presence; 2 DetectPresence; 3
 *     UndetectPresence: in mode 0 it ends presence at once; 4 SwitchLocked: locks or unlocks</td></tr>
 * <tr><td>events</td><td>0 OnStart, 1 OnStop, 2 OnSwitchOn: presence begins, 3 OnSwitchOff: presence
 *     ends. While it is locked, none of the last two happens; unlocking makes up for the
 *     difference</td></tr>
 * </table>
 *
 * <p>Used by one thread, that of the scripts.
 */
final class PresenceSensor extends StandardObject {
    private static final int TIMEOUT = 0;
    private static final int STATE = 1;
    private static final int PRESENCE_DETECTED = 2;
    private static final int TIME_FROM_LAST_PRESENCE = 3;
    private static final int DETECTION_DELAY = 4;
    private static final int LOCKED = 5;
    private static final int MODE = 6;
    private static final int START = 0;
    private static final int STOP = 1;
    private static final int DETECT_PRESENCE = 2;
    private static final int UNDETECT_PRESENCE = 3;
    private static final int SWITCH_LOCKED = 4;
    private static final int ON_START = 0;
    private static final int ON_STOP = 1;
    private static final int ON_SWITCH_ON = 2;
    private static final int ON_SWITCH_OFF = 3;
    private static final long NANOS_PER_S = 1_000_000_000;

    private double timeout = 60;
    private double delay = 2;
    private boolean untilUndetected; // mode 1
    private boolean started;
    private boolean locked;
    private boolean present;
    private boolean switchedOn; // what the events have said
    private boolean signal; // one lasts, in mode 1
    private boolean signaled; // once at least
    private long lastSignal; // by nanoTime, as is the next
    private long ignoredUntil = Long.MIN_VALUE;
    private Scheduled alarm = () -> {};

    PresenceSensor(String name, ObjectContext context) {
        super(name, context);
    }

    @Override
    public LuaValue get(int index) {
        return switch (index) {
            case TIMEOUT -> LuaValue.valueOf(timeout);
            case STATE -> bit(started);
            case PRESENCE_DETECTED -> bit(present);
            case TIME_FROM_LAST_PRESENCE ->
                    signal || !signaled
                            ? LuaValue.ZERO
                            : integer((now() - lastSignal) / NANOS_PER_S);
            case DETECTION_DELAY -> LuaValue.valueOf(delay);
            case LOCKED -> bit(locked);
            case MODE -> bit(untilUndetected);
            default -> super.get(index);
        };
    }

    @Override
    public void set(int index, LuaValue value) {
        switch (index) {
            case TIMEOUT -> {
                timeout = number("Timeout", value, 5, 86_400, timeout);
                if (present && !signal) {
                    scheduleNext();
                }
            }
            case STATE -> {
                if (isOn(value)) {
                    start();
                } else {
                    stop();
                }
            }
            case DETECTION_DELAY -> delay = number("DetectionDelay", value, 0, 3_600, delay);
            case LOCKED -> lock(isOn(value));
            case MODE ->
                    untilUndetected = number("Mode", value, 0, 1, untilUndetected ? 1 : 0) == 1;
            case PRESENCE_DETECTED -> readOnly("PresenceDetected");
            case TIME_FROM_LAST_PRESENCE -> readOnly("TimeFromLastPresence");
            default -> super.set(index, value);
        }
    }

    @Override
    public Varargs execute(int method, Varargs arguments) {
        switch (method) {
            case START -> start();
            case STOP -> stop();
            case DETECT_PRESENCE -> detect();
            case UNDETECT_PRESENCE -> undetect();
            case SWITCH_LOCKED -> lock(!locked);
            default -> {
                return super.execute(method, arguments);
            }
        }
        return LuaValue.NIL;
    }

    private void start() {
        if (!started) {
            started = true;
            fire(ON_START);
        }
    }

    private void stop() {
        if (started) {
            end();
            started = false;
            fire(ON_STOP);
        }
    }

    private void detect() {
        if (!started || now() < ignoredUntil) {
            return;
        }
        signaled = true;
        lastSignal = now();
        signal = untilUndetected;
        present = true;
        report();
        if (signal) {
            alarm.cancel();
        } else {
            scheduleNext();
        }
    }

    private void undetect() {
        if (!started || !present) {
            return;
        }
        if (untilUndetected) {
            signal = false;
            lastSignal = now();
            scheduleNext();
        } else {
            end();
        }
    }

    private void scheduleNext() {
        alarm.cancel();
        long due = lastSignal + (long) (timeout * NANOS_PER_S);
        alarm =
                context()
                        .scripts()
                        .schedule(name(), Duration.ofNanos(Math.max(0, due - now())), this::end);
    }

    private void end() {
        alarm.cancel();
        signal = false;
        present = false;
        report();
    }

    private void lock(boolean lock) {
        locked = lock;
        report();
    }

    /** Fires the event of presence or absence, unless it was the last one. */
    private void report() {
        if (locked || present == switchedOn) {
            return;
        }
        switchedOn = present;
        if (!present) {
            ignoredUntil = now() + (long) (delay * NANOS_PER_S);
        }
        fire(present ? ON_SWITCH_ON : ON_SWITCH_OFF);
    }

    private long now() {
        return context().scripts().nanoTime();
    }

    @Override
    public void close() {
        alarm.cancel();
        started = false;
    }
}
