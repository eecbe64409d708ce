// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.net.log.LazyLogger;
import java.lang.System.Logger.Level;

/** Runs tasks of a queue, none of which stops those behind it, whatever it throws. Any thread. */
final class Tasks {
    private static final LazyLogger LOG = LazyLogger.of(Live.class);

    private Tasks() {}

    /** Runs {@code task}; logs what it throws, an {@link Error} too, with {@code message}. */
    static void run(Runnable task, String message) {
        try {
            task.run();
        } catch (Throwable e) {
            failed(message, e);
        }
    }

    /** Logs a failure, and never throws itself. */
    static void failed(String message, Throwable thrown) {
        try {
            LOG.get().log(Level.ERROR, message, thrown);
        } catch (Throwable e) {
            // there is no one left to tell
        }
    }
}
