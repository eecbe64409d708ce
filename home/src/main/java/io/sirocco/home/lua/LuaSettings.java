// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import io.sirocco.net.Clock;
import java.time.Duration;
import java.util.Optional;

/**
 * Configuration of a {@link LuaRuntime}: set it in the lambda given to {@link LuaRuntime#create}.
 * Changes after the lambda has returned have no effect. Used by one thread.
 */
public final class LuaSettings {
    private Duration time = Duration.ofSeconds(30);
    private long instructions = 4_000_000_000L;
    private long memory = 64L << 20;
    private int string = 4 << 20;
    private ReportForm reports = ReportForm.PLAIN;
    private Clock clock = Clock.system();
    private Optional<ScriptLog> log = Optional.empty();

    LuaSettings() {}

    /**
     * Sets how long a task may run, without the tasks that run in between and without {@code
     * SYSTEM.Wait()}; 30 s by default. For {@code MAIN.LUA} it is the time between two calls of
     * {@code SYSTEM.Loop()} or {@code SYSTEM.Wait()}.
     */
    public LuaSettings time(Duration time) {
        positive("time", time.toNanos());
        this.time = time;
        return this;
    }

    /**
     * Sets how many instructions of Lua's virtual machine a task may run; 4,000 million by default.
     */
    public LuaSettings instructions(long instructions) {
        this.instructions = positive("instructions", instructions);
        return this;
    }

    /**
     * Sets by how many bytes the heap may grow while a task runs, garbage not counted; 64 MiB by
     * default, an eighth of the heap at most.
     */
    public LuaSettings memory(long bytes) {
        this.memory = positive("memory", bytes);
        return this;
    }

    /**
     * Sets the longest string that a script may make, in bytes; 4 MiB by default, a sixteenth of
     * the memory at most.
     */
    public LuaSettings string(int bytes) {
        this.string = (int) positive("string", bytes);
        return this;
    }

    /** Sets the form of values in reports to clients; {@link ReportForm#PLAIN} by default. */
    public LuaSettings reports(ReportForm reports) {
        this.reports = reports;
        return this;
    }

    /** Sets the clock of timers, passes and time limits. */
    public LuaSettings clock(Clock clock) {
        this.clock = clock;
        return this;
    }

    /** Sets the log of the scripts, to which others may add lines; by default it is a new one. */
    public LuaSettings log(ScriptLog log) {
        this.log = Optional.of(log);
        return this;
    }

    private static long positive(String name, long value) {
        if (value <= 0) {
            throw new IllegalArgumentException(name + " must be above 0, not " + value);
        }
        return value;
    }

    LuaLimits limits() {
        return new LuaLimits(time.toNanos(), instructions, memory, string);
    }

    ReportForm reports() {
        return reports;
    }

    Clock clock() {
        return clock;
    }

    ScriptLog log() {
        return log.orElseGet(() -> new ScriptLog(clock));
    }
}
