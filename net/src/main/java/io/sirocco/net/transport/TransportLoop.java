// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.transport;

import io.sirocco.net.Connection;
import io.sirocco.net.Loop;
import java.lang.foreign.Arena;

/** What a transport sees of its loop beyond what programs do. Loop-confined. */
public interface TransportLoop {
    /** Returns the loop. Any thread. */
    Loop loop();

    /** Returns the number of loops of the group. Any thread. */
    int loops();

    /** Returns an arena that is closed after the transport. */
    Arena arena();

    /**
     * Returns how many nanoseconds the transport may wait: until the next timer is due, 0 if there
     * is something to do, -1 for ever.
     */
    long untilNext();

    /** Returns for how many nanoseconds the loop worked in the turn before this one. */
    long lastTurnNanos();

    /**
     * Sends what is written if the turn has lasted long. To be called between two events that may
     * run handlers.
     */
    void flushIfLate();

    /**
     * Returns whether the turn has lasted for some milliseconds: then events that are left are
     * dispatched in the next one.
     */
    boolean isTurnLong();

    /**
     * Returns a scratch array of at least {@code size} bytes, which is used until the next call.
     */
    byte[] slab(int size);

    /** Reports what code called on the loop has thrown. Throws nothing itself. */
    void failed(Throwable thrown);

    /**
     * Runs {@code task} on the platform thread that carries the loop's own code, if that is a
     * virtual thread, for a call that would park it; else on the calling thread. It must not throw.
     */
    void runOnCarrier(Runnable task);

    /**
     * Releases {@code connection}, whose socket has been closed, at the end of this turn, or of the
     * next one. Throws nothing.
     */
    void releaseAtTurnEnd(Connection connection);

    /** Ends the loop after this turn: for an error that has left something half done. */
    void die(Throwable thrown);
}
