// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import io.sirocco.net.log.LogText;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The log of this module, {@code io.sirocco.script}. Any thread. */
final class ScriptLog {
    private static final long EVERY_NANOS = 10_000_000_000L;
    private static final int KINDS = 256;
    private static final Map<String, Long> LAST = new ConcurrentHashMap<>();

    private ScriptLog() {}

    private static final class Holder {
        static final System.Logger LOGGER = System.getLogger("io.sirocco.script");
    }

    static void log(Level level, String message) {
        Holder.LOGGER.log(level, LogText.of(message));
    }

    static void log(Level level, String message, Throwable thrown) {
        Holder.LOGGER.log(level, LogText.of(message), thrown);
    }

    /** Logs what clients can cause as often as they like: one of each kind in ten seconds. */
    static void seldom(Level level, String kind, String message, Throwable thrown) {
        long now = System.nanoTime();
        String known = LAST.containsKey(kind) || LAST.size() < KINDS ? kind : "";
        Long last = LAST.get(known);
        if (last == null || now - last > EVERY_NANOS) {
            LAST.put(known, now);
            log(level, message, thrown);
        }
    }
}
