// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

/**
 * {@code [log]}: what the server has to say itself. Immutable.
 *
 * @param file {@link LogFile.Unset} for standard error
 */
public record Log(Level level, LogFile file) {

    /** Whether it is what the program does by itself. */
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
        return new Log(table.choice("level", Level.INFO), LogFile.read(table, false));
    }
}
