// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.epoll;

/**
 * Predicts whether a new connection has input when it is accepted, from the last connections of
 * this loop, whichever listener they came from. Loop-confined.
 */
final class EarlyInput {
    private static final int MAX_CONFIDENCE = 8;
    private static final int PROBE_INTERVAL = 16; // one in 16 is read anyway, to notice a change

    private int confidence = MAX_CONFIDENCE;
    private int skipped;

    /** Decides whether the next connection is read first. */
    boolean shouldTry() {
        if (confidence > 0) {
            return true;
        }
        skipped = (skipped + 1) % PROBE_INTERVAL;
        return skipped == 0;
    }

    /** Records whether a connection that was read first had input. */
    void record(boolean hadInput) {
        confidence = Math.clamp(confidence + (hadInput ? 1 : -1), 0, MAX_CONFIDENCE);
    }
}
