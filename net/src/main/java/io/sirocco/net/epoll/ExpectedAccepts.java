// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.epoll;

/**
 * Predicts how many connections of a listening socket one turn accepts: about as many as the last
 * turns brought. An {@code accept4(2)} that finds no connection costs the kernel almost as much as
 * one that succeeds; what stays in the backlog is reported again, since the events of listening
 * sockets are level-triggered. After a long turn the price of one such call does not matter, and
 * what waits must not wait for another long one: then a turn accepts what there is. Loop-confined.
 */
final class ExpectedAccepts {
    static final int MAX_PER_TURN = 256;

    private static final int FULL_TURNS_TO_GROW = 4; // in a row
    private static final long LONG_TURN_NANOS = 1_000_000;

    private int count = 1;
    private int fullTurns;
    private long lastFullTurn;

    /** Returns how many connections a turn accepts after one that took {@code lastTurnNanos}. */
    int count(long lastTurnNanos) {
        return lastTurnNanos < LONG_TURN_NANOS ? count : MAX_PER_TURN;
    }

    /** Records that {@code turn} accepted as many, so that there may be more. */
    void batchFull(long turn) {
        fullTurns = turn == lastFullTurn + 1 ? fullTurns + 1 : 1;
        lastFullTurn = turn;
        if (fullTurns == FULL_TURNS_TO_GROW) {
            count = Math.min(2 * count, MAX_PER_TURN);
            fullTurns = 0;
        }
    }

    /** Records that the backlog was empty after {@code accepted} connections. */
    void backlogEmpty(int accepted) {
        count = Math.max(1, accepted);
        fullTurns = 0;
    }
}
