// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.log.LinkedErrors;

/** A task that runs once, later; made by {@link Loop#schedule}. Loop-confined. */
public final class ScheduledTask extends Timer {
    static {
        LinkedErrors.link(Throwable.class);
    }

    private final Loop loop;
    private final Runnable task;

    ScheduledTask(Loop loop, Runnable task) {
        this.loop = loop;
        this.task = task;
    }

    /** Cancels the task; does nothing when it has run. */
    public void cancel() {
        loop.timers().cancel(this);
    }

    @Override
    void fire() {
        try {
            task.run();
        } catch (Throwable e) {
            loop.failed(e);
        }
    }
}
