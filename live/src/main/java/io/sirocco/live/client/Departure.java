// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

/**
 * How a namespace is left: what was sent before goes first, and then the good-bye waits for the
 * server's having it. The official server forgets events that it has not looked at yet when a
 * good-bye comes. Loop-confined.
 */
final class Departure {
    private boolean begun;
    private boolean waits; // for the server
    private int toFlush; // messages that go before

    /** Begins, with so many messages that wait. */
    void begin(int messages) {
        begun = true;
        toFlush = messages;
    }

    boolean hasBegun() {
        return begun;
    }

    /** A message has gone on its way. */
    void sent() {
        toFlush = Math.max(0, toFlush - 1);
    }

    /** Whether the last one has just gone, so that the server is to be asked. */
    boolean asks(boolean empty) {
        if (!begun || waits || toFlush > 0 && !empty) {
            return false;
        }
        waits = true;
        return true;
    }

    /** Whether the good-bye still waits for the server. */
    boolean waits() {
        return waits;
    }

    /** It is over, or somebody wants to stay. */
    void end() {
        begun = false;
        waits = false;
    }
}
