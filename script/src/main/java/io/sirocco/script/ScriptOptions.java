// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import io.sirocco.net.limit.Timeouts;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Options of {@link Scripts}, with the defaults that docs/scripts.md lists. Frozen when {@link
 * Scripts#of} returns. Used by one thread.
 */
public final class ScriptOptions {
    private Duration timeout = Duration.ofSeconds(10);
    private Duration cpuTime = Duration.ofSeconds(1);
    private Duration setupTimeout = Duration.ofSeconds(10);
    private long maxAllocation =
            Math.clamp(Runtime.getRuntime().maxMemory() / 8, 16L << 20, 256L << 20);
    private long maxStatements;
    private int maxBodyBytes = 1 << 20;
    private int contexts = Math.max(8, 4 * Runtime.getRuntime().availableProcessors());
    private int requestsPerContext = 64;
    private int maxWaiting = 1_000;
    private int kvEntries = 10_000;
    private long kvBytes = 16L << 20;
    private boolean anyUpstream;
    private Upstreams upstreams = Upstreams.NONE;
    private Map<String, ?> config = Map.of();
    private final Map<String, Function<List<Object>, Object>> exposed = new HashMap<>();

    ScriptOptions() {}

    /** Sets the longest time until a response begins, and for each part of a stream; then 504. */
    public ScriptOptions timeout(Duration timeout) {
        this.timeout = Timeouts.positive("timeout", timeout);
        return this;
    }

    /** Sets the processor time that a request may use before it waits; then 504. */
    public ScriptOptions cpuTime(Duration cpuTime) {
        this.cpuTime = Timeouts.positive("cpuTime", cpuTime);
        return this;
    }

    /** Sets how long {@code setup} may take; then the script counts as failed. */
    public ScriptOptions setupTimeout(Duration setupTimeout) {
        this.setupTimeout = Timeouts.positive("setupTimeout", setupTimeout);
        return this;
    }

    /** Sets how many bytes a request may allocate, garbage included; then 500. */
    public ScriptOptions maxAllocation(long bytes) {
        maxAllocation = positive("maxAllocation", bytes);
        return this;
    }

    /**
     * Sets how many statements a request may execute; then 500. 0, the default, is no limit. With a
     * limit each context serves one request at a time.
     */
    public ScriptOptions maxStatements(long statements) {
        if (statements < 0) {
            throw new IllegalArgumentException("maxStatements must be 0 or more.");
        }
        maxStatements = statements;
        return this;
    }

    /** Sets the longest body that {@code text()}, {@code json()} and {@code bytes()} read. */
    public ScriptOptions maxBodyBytes(int bytes) {
        maxBodyBytes = (int) positive("maxBodyBytes", bytes);
        return this;
    }

    /** Sets how many contexts there are at most, each with a thread. */
    public ScriptOptions contexts(int contexts) {
        this.contexts = (int) positive("contexts", contexts);
        return this;
    }

    /** Sets how many requests a context serves at once. */
    public ScriptOptions requestsPerContext(int requests) {
        requestsPerContext = (int) positive("requestsPerContext", requests);
        return this;
    }

    /** Sets how many requests wait for a context; further ones get 503. */
    public ScriptOptions maxWaiting(int requests) {
        maxWaiting = (int) positive("maxWaiting", requests);
        return this;
    }

    /** Sets how many entries and bytes {@code kv} holds. */
    public ScriptOptions kv(int entries, long bytes) {
        kvEntries = (int) positive("The number of entries", entries);
        kvBytes = positive("The number of bytes", bytes);
        return this;
    }

    /** Sets the upstreams that scripts can forward to and fetch from. */
    public ScriptOptions upstreams(Upstreams upstreams) {
        this.upstreams = upstreams;
        return this;
    }

    /** Sets whether scripts may name any origin instead of an upstream. */
    public ScriptOptions anyUpstream(boolean anyUpstream) {
        this.anyUpstream = anyUpstream;
        return this;
    }

    /**
     * Sets the {@code config} that {@code setup} receives: strings, numbers, booleans, lists, maps.
     */
    public ScriptOptions config(Map<String, ?> config) {
        this.config = config;
        return this;
    }

    /**
     * Gives scripts a global function. It is called on the thread of the script, so it must be
     * quick and thread-safe. Arguments and results are strings, numbers, booleans, null, lists and
     * maps. The arguments of a call have at most a 1024th of {@code maxAllocation} elements and
     * properties, as many characters as the longest string, and 64 levels; beyond that the script
     * gets a {@code RangeError}.
     */
    public ScriptOptions expose(String name, Function<List<Object>, Object> function) {
        exposed.put(name, function);
        return this;
    }

    Settings freeze() {
        return new Settings(
                timeout.toNanos(),
                cpuTime.toNanos(),
                setupTimeout.toNanos(),
                maxAllocation,
                maxStatements,
                maxBodyBytes,
                contexts,
                maxStatements > 0 ? 1 : requestsPerContext,
                maxWaiting,
                kvEntries,
                kvBytes,
                anyUpstream,
                upstreams,
                Json.write(config),
                Map.copyOf(exposed));
    }

    private static long positive(String name, long value) {
        if (value <= 0) {
            throw new IllegalArgumentException(name + " must be positive, not " + value + ".");
        }
        return value;
    }

    /** The options as they were when {@link Scripts#of} returned. Immutable. */
    record Settings(
            long timeoutNanos,
            long cpuNanos,
            long setupNanos,
            long maxAllocation,
            long maxStatements,
            int maxBodyBytes,
            int contexts,
            int requestsPerContext,
            int maxWaiting,
            int kvEntries,
            long kvBytes,
            boolean anyUpstream,
            Upstreams upstreams,
            String config,
            Map<String, Function<List<Object>, Object>> exposed) {

        /** Returns the characters of the longest string, whose copies count as well. */
        long longestString() {
            return Math.min(maxAllocation / 8, (1 << 30) - 25L);
        }

        /** Returns the elements of the longest typed array, each of up to eight bytes. */
        long longestTypedArray() {
            long most = Math.max(maxAllocation / 8, maxBodyBytes);
            return Math.min(Math.min(most, maxAllocation), Integer.MAX_VALUE - 8L);
        }

        /**
         * Returns the length of the longest array that built-in functions may traverse: the engine
         * cannot interrupt many of them, and some copy the array.
         */
        long longestArray() {
            return Math.max(maxAllocation / 16, maxBodyBytes);
        }

        /** Returns the elements and properties of all arguments of an exposed function. */
        long mostArguments() {
            return maxAllocation / 1024; // each takes some objects of Java
        }
    }
}
