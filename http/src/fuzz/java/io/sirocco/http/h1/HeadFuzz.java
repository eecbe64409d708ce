// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import io.sirocco.http.message.HeadLimits;

/**
 * Any bytes as a stream of requests: the production parsers agree with the reference, wherever the
 * bytes are split, and every position that a head gives lies within it.
 */
public final class HeadFuzz {

    private HeadFuzz() {}

    /** Called by Jazzer for each input. */
    public static void fuzzerTestOneInput(byte[] data) {
        Differential.check(data);
        Differential.checkSplits(data, data.length / 2);
        Differential.checkSplits(data, data.length / 3, data.length - data.length / 4);
        if (data.length <= 100) {
            Differential.checkDribble(data);
        }
        Head head = new Head();
        if (head.parse(data, 0, data.length, HeadLimits.DEFAULT) == Parsed.COMPLETE) {
            checkPositions(head, data.length);
        }
    }

    private static void checkPositions(Head head, int length) {
        ascending(0, head.methodFrom(), head.methodTo(), head.targetFrom(), head.targetTo());
        ascending(head.targetFrom(), head.pathFrom(), head.pathTo(), head.targetTo());
        ascending(head.pathTo(), head.queryFrom(), head.queryTo(), head.targetTo());
        int last = head.targetTo();
        for (int i = 0; i < head.count(); i++) {
            ascending(last, head.nameFrom(i), head.nameTo(i) - 1);
            ascending(head.nameTo(i) + 1, head.valueFrom(i), head.valueTo(i));
            last = head.valueTo(i);
        }
        ascending(last, head.end(), length);
        ascending(0, head.hostFrom(), head.hostTo(), head.authorityTo(), head.end());
    }

    private static void ascending(int... positions) {
        for (int i = 1; i < positions.length; i++) {
            if (positions[i - 1] > positions[i]) {
                throw new AssertionError("positions out of order");
            }
        }
    }
}
