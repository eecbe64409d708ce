// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.epoll;

/**
 * Predicts whether the first input of a connection is there when it is accepted: as it was with
 * most of the last ones. Loop-confined.
 */
final class EarlyInput {
    private static final int SURE = 8;
    private static final int TRIED = 16; // one of so many is read although nothing is expected

    private int hits = SURE;
    private int passed;

    boolean isExpected() {
        if (hits > 0) {
            return true;
        }
        passed = (passed + 1) % TRIED;
        return passed == 0;
    }

    /** Reports whether it was there for a connection that it was expected of. */
    void was(boolean there) {
        hits = Math.clamp(hits + (there ? 1 : -1), 0, SURE);
    }
}
