// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

/**
 * {@code [log]}: the server's own messages. Immutable.
 *
 * @param file {@link LogFile.Unset} for standard error
 */
public record Log(Level level, LogFile file) {
    /** The default. */
    public static final Log USUAL = new Log(Level.INFO, new LogFile.Unset());

    /** Returns whether it is the default, without the slow first comparison of records. */
    public boolean isUsual() {
        return level == Level.INFO && file instanceof LogFile.Unset;
    }

    /** The lowest level that is written. */
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
