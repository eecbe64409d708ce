// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

/**
 * Configuration of a group of loops: set it in the lambda given to {@link Loops#start}. It is
 * frozen when the lambda returns. Used by one thread.
 */
public final class Settings {
    int loops = Runtime.getRuntime().availableProcessors();
    TransportKind transport = TransportKind.AUTO;
    Clock clock = Clock.system();
    String name = "sirocco";
    int longTurnMillis = 500;
    int blockingMillis = 20;
    int maxTurnMillis = 30_000;
    Observer observer = Observer.NONE;
    private long memory = Runtime.getRuntime().maxMemory() / 4;
    private int connections; // 0: as many as memory allows

    Settings() {}

    /** Sets the number of loops, each on a platform thread; one per core by default. */
    public Settings loops(int loops) {
        this.loops = inRange("loops", loops, 1, 1024);
        return this;
    }

    /** Sets how loops talk to the kernel; {@link TransportKind#AUTO} by default. */
    public Settings transport(TransportKind transport) {
        this.transport = transport;
        return this;
    }

    /** Sets the clock of all deadlines. */
    public Settings clock(Clock clock) {
        this.clock = clock;
        return this;
    }

    /** Sets the prefix of the threads' names. */
    public Settings name(String name) {
        this.name = name;
        return this;
    }

    /**
     * Sets the number of milliseconds after which the watchdog reports a task that blocks its loop;
     * 0 turns the reports off. 500 by default.
     */
    public Settings longTurnMillis(int longTurnMillis) {
        this.longTurnMillis = inRange("longTurnMillis", longTurnMillis, 0, 3_600_000);
        return this;
    }

    /**
     * A {@link TaskKind} is moved off the loops when one of its runs blocks a loop for longer than
     * this many milliseconds; 0 leaves all of them on their loops. 20 by default.
     */
    public Settings blockingMillis(int blockingMillis) {
        this.blockingMillis = inRange("blockingMillis", blockingMillis, 0, 3_600_000);
        return this;
    }

    /**
     * Sets the number of milliseconds after which a loop that has not ended its turn is dead: it
     * waits for a lock that nobody releases, or for a call that does not return. The observer is
     * notified of its death, {@link Loops#failure} completes, and the loop ends when the turn does.
     * 0 never gives a loop up, and neither does a JVM that was started with a debugger's agent.
     * 30,000 by default.
     */
    public Settings maxTurnMillis(int maxTurnMillis) {
        this.maxTurnMillis = inRange("maxTurnMillis", maxTurnMillis, 0, Integer.MAX_VALUE);
        return this;
    }

    /** Has no thread watch the loops: for clients, whose loops run no code of others. */
    public Settings withoutWatchdog() {
        return longTurnMillis(0).blockingMillis(0).maxTurnMillis(0);
    }

    /** Sets the observer of the loops' events. */
    public Settings observer(Observer observer) {
        this.observer = observer;
        return this;
    }

    /**
     * Sets how many bytes all loops together may hold for their connections; each loop gets an
     * equal share, its {@link MemoryBudget}. By default a quarter of the largest heap.
     */
    public Settings memory(long bytes) {
        if (bytes < 1 << 20) {
            throw new IllegalArgumentException("memory must be 1 MiB or more, not " + bytes);
        }
        this.memory = bytes;
        return this;
    }

    long memoryPerLoop() {
        return memory / loops;
    }

    /**
     * Sets how many connections each loop may have, those that wait for a slot included. A
     * connection beyond them is closed at once, with {@link CloseCause#TOO_MANY}, and counted in
     * {@link LoopStats#connectionsRefused}. 0, the default, computes the number: half of the
     * largest heap at 256 bytes for each connection (1 KiB with NIO), and half of the rest of the
     * machine's memory at 4 KiB, which the kernel takes for an idle one.
     */
    public Settings connections(int perLoop) {
        this.connections = inRange("connections", perLoop, 0, Integer.MAX_VALUE);
        return this;
    }

    int connectionsPerLoop(TransportKind transport) {
        return connections > 0
                ? connections
                : Math.max(64, MachineMemory.connections(transport) / loops);
    }

    private static int inRange(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    name + " must be from " + least + " to " + most + ", not " + value);
        }
        return value;
    }
}
