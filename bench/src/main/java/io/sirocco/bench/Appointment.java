// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

import io.sirocco.net.Loop;

/** Does something at the earliest of the times that it was told of. Loop-confined. */
public final class Appointment {
    private final Loop loop;
    private final Runnable action;
    private long at = Long.MAX_VALUE;

    public Appointment(Loop loop, Runnable action) {
        this.loop = loop;
        this.action = action;
    }

    /** By {@code nanos} of the loop's clock at the latest. */
    public void by(long nanos) {
        if (nanos >= at) {
            return;
        }
        at = nanos;
        loop.scheduleAt(
                nanos,
                () -> {
                    if (at == nanos) { // else an earlier one was made since
                        at = Long.MAX_VALUE;
                        action.run();
                    }
                });
    }
}
