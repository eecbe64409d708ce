// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

/**
 * {@code [log]}: what the server has to say itself. Immutable.
 *
 * @param file {@link LogFile.Unset} for standard error
 */
public record Log(Level level, LogFile file) {
    /** What the program does by itself. */
    public static final Log USUAL = new Log(Level.INFO, new LogFile.Unset());

    /** Whether it is that one; a comparison of records takes its time when it is the first. */
    public boolean isUsual() {
        return level == Level.INFO && file instanceof LogFile.Unset;
    }

    /** The least important that is written. */
    public enum Level {
        ERROR,
        WARNING,
        INFO,
        DEBUG
    }

    static Log read(Table table) {
        return new Log(table.choice("level", USUAL.level), LogFile.read(table, false));
    }
}
