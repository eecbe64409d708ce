// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import io.sirocco.home.lua.TaskCause;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.luaj.vm2.LuaFunction;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;

/**
 * An object that a script has created by {@code OBJECT:new} or {@code GATE:new}: numbered features,
 * methods and events. An object of an unknown class has the behaviour of this class: features keep
 * what is set, calls of methods are logged and return nil, and no events occur. Used by one thread,
 * that of the scripts, except for {@link #fire} and {@link #deliver}.
 */
public class HomeObject {
    private static final int MAX_WAITING_EVENTS = 1_000;
    private static final Duration BUSY = Duration.ofMillis(100); // the scripts are tried again

    private final String name;
    private final ObjectContext context;
    private final Map<Integer, LuaValue> features = new HashMap<>();
    private final Map<Integer, List<LuaFunction>> handlers = new HashMap<>();
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private boolean busy; // a handler runs
    private boolean retrying; // those that wait, since too many tasks waited

    protected HomeObject(String name, ObjectContext context) {
        this.name = name;
        this.context = context;
    }

    /** Returns the name, for example {@code TIM1234}. Immutable. */
    public final String name() {
        return name;
    }

    /** Returns the services of the controller. Immutable. */
    protected final ObjectContext context() {
        return context;
    }

    /** Returns the indexes of the features that this class itself has stored. */
    public final Set<Integer> stored() {
        return Set.copyOf(features.keySet());
    }

    /** Returns a feature, or nil. */
    public LuaValue get(int index) {
        return features.getOrDefault(index, LuaValue.NIL);
    }

    /** Sets a feature. */
    public void set(int index, LuaValue value) {
        features.put(index, value);
    }

    /**
     * Calls a method.
     *
     * @throws org.luaj.vm2.LuaError if an argument is wrong: the message says which, and what it
     *     should be
     */
    public Varargs execute(int method, Varargs arguments) {
        context.scripts()
                .warn(name + ":execute(" + method + "): this class of objects has no such method");
        return LuaValue.NIL;
    }

    /** Adds a handler; the handlers of one event run in the order in which they were added. */
    public final void addEvent(int event, LuaFunction handler) {
        handlers.computeIfAbsent(event, key -> new ArrayList<>()).add(handler);
    }

    /** Called by {@code SYSTEM.Init()}, after the scripts have created and set all objects. */
    public void setUp() {}

    /** Called by each pass of {@code SYSTEM.Loop()}, every 960 ms. */
    public void loop() {}

    /** Called when the controller resets or ends: cancels timers, closes sockets. */
    public void close() {}

    /**
     * Called after {@link #close} of all objects: waits, for a bounded time, until what that has
     * begun has ended.
     */
    public void awaitClose() {}

    /**
     * Runs the handlers of an event, one after the other. An event that occurs while a handler of
     * this object runs waits until that has ended. Any thread.
     */
    protected final void fire(int event, LuaValue... arguments) {
        deliver(event, () -> {}, failed -> {}, arguments);
    }

    /**
     * Runs the handlers of an event as {@link #fire} does. Any thread.
     *
     * @param before is called right before the handlers, also if there are none: sets the features
     *     that describe the event
     * @param after is called after them, with whether one has failed
     * @return false when the thread of the scripts takes no more: neither is called then
     */
    protected final boolean deliver(
            int event, Runnable before, Consumer<Boolean> after, LuaValue... arguments) {
        Varargs all = LuaValue.varargsOf(arguments);
        return deliver(
                event,
                () -> {
                    before.run();
                    return all;
                },
                after);
    }

    /**
     * Runs the handlers of an event as {@link #fire} does. Any thread.
     *
     * @param before is called right before the handlers, also if there are none: sets the features
     *     that describe the event, and returns the arguments
     * @param after is called after them, with whether one has failed
     * @return false when the thread of the scripts takes no more: neither is called then
     */
    protected final boolean deliver(int event, Supplier<Varargs> before, Consumer<Boolean> after) {
        return context.scripts()
                .execute(name + " event " + event, () -> handle(event, before, after));
    }

    /** Returns whether an event has handlers. */
    protected final boolean hasHandlers(int event) {
        return handlers.containsKey(event);
    }

    private void handle(int event, Supplier<Varargs> before, Consumer<Boolean> after) {
        if (waiting.size() == MAX_WAITING_EVENTS) {
            context.scripts().warn(name + ": event " + event + " is lost: too many wait");
            after.accept(true);
            return;
        }
        waiting.add(TaskCause.inherit(() -> run(event, before, after)));
        handleNext();
    }

    private void run(int event, Supplier<Varargs> before, Consumer<Boolean> after) {
        boolean failed = true;
        try {
            Varargs arguments = before.get();
            List.copyOf(handlers.getOrDefault(event, List.of()))
                    .forEach(handler -> handler.invoke(arguments));
            failed = false;
        } finally {
            after.accept(failed);
        }
    }

    /** Runs the first that waits, unless a handler runs that was interrupted by this task. */
    private void handleNext() {
        if (busy || waiting.isEmpty()) {
            return;
        }
        busy = true;
        try {
            waiting.remove().run();
        } finally {
            busy = false;
            if (!waiting.isEmpty()
                    && !context.scripts().execute(name + " event", this::handleNext)
                    && !retrying) {
                retrying = true;
                context.scripts().schedule(name + " event", BUSY, this::retry);
            }
        }
    }

    private void retry() {
        retrying = false;
        handleNext();
    }
}
