// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.epoll;

/**
 * How many connections a listening socket is asked for in one turn: about as many as have come in
 * each of the last ones. An {@code accept4(2)} that finds none costs the kernel almost as much as
 * one that does; what is left over is reported again, since the events of listening sockets are
 * level-triggered. Loop-confined.
 */
final class ExpectedAccepts {
    static final int MOST = 256;

    private static final int PATIENCE = 4; // turns in a row that bring all that is expected

    private int count = 1;
    private int fullTurns;
    private long lastFullTurn;

    /** Returns how many connections to ask for. */
    int count() {
        return count;
    }

    /** Reports that so many have come in {@code turn}, and there may be more. */
    void came(long turn) {
        fullTurns = turn == lastFullTurn + 1 ? fullTurns + 1 : 1;
        lastFullTurn = turn;
        if (fullTurns == PATIENCE) {
            count = Math.min(2 * count, MOST);
            fullTurns = 0;
        }
    }

    /** Reports that only {@code fewer} have come. */
    void ranOut(int fewer) {
        count = Math.max(1, fewer);
        fullTurns = 0;
    }
}
