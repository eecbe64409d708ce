// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

/**
 * How loops are to be run: set in the lambda given to {@link Loops#start}, and frozen when it
 * returns. Used by one thread.
 */
public final class Settings {
    int loops = Runtime.getRuntime().availableProcessors();
    TransportKind transport = TransportKind.AUTO;
    Clock clock = Clock.system();
    String name = "sirocco";
    int heldMillis = 500;
    Observer observer = Observer.NONE;

    Settings() {}

    /** Number of loops, each a platform thread; one per core by default. */
    public Settings loops(int loops) {
        this.loops = inRange("loops", loops, 1, 1024);
        return this;
    }

    /** How to talk to the kernel; {@link TransportKind#AUTO} by default. */
    public Settings transport(TransportKind transport) {
        this.transport = transport;
        return this;
    }

    /** The time that deadlines are reckoned by. */
    public Settings clock(Clock clock) {
        this.clock = clock;
        return this;
    }

    /** Prefix of the threads' names. */
    public Settings name(String name) {
        this.name = name;
        return this;
    }

    /**
     * The watchdog reports a loop that one task holds for longer than this many milliseconds; 0
     * turns it off.
     */
    public Settings heldMillis(int heldMillis) {
        this.heldMillis = inRange("heldMillis", heldMillis, 0, 3_600_000);
        return this;
    }

    /** Who is told what goes wrong. */
    public Settings observer(Observer observer) {
        this.observer = observer;
        return this;
    }

    private static int inRange(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    name + " must be from " + least + " to " + most + ", not " + value);
        }
        return value;
    }
}
