// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

import java.util.Arrays;
import java.util.Random;

/** Which request comes next: in turn, or at random by weight. Loop-confined. */
final class Choice {
    private final Call[] calls;
    private final long[] upTo; // the weights, added up
    private final boolean atRandom;
    private final Random random;
    private int turn;

    /**
     * @param seed the same one leads to the same choices
     */
    Choice(Call[] calls, Load.Order order, long seed) {
        this.calls = calls;
        this.upTo = new long[calls.length];
        this.atRandom = calls.length > 1 && order == Load.Order.WEIGHTED;
        this.random = new Random(seed);
        long sum = 0;
        for (int i = 0; i < calls.length; i++) {
            upTo[i] = sum += calls[i].weight();
        }
    }

    Call next() {
        if (atRandom) {
            long at = random.nextLong(upTo[upTo.length - 1]);
            int place = Arrays.binarySearch(upTo, at + 1); // the first sum above it
            return calls[place < 0 ? -place - 1 : place];
        }
        Call call = calls[turn];
        turn = turn + 1 == calls.length ? 0 : turn + 1;
        return call;
    }
}
