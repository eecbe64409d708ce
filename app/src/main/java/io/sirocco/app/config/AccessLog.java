// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

/** {@code [access-log]}. Immutable. */
public record AccessLog(LogFile file, Format format, int queue) {

    /** How a line looks. */
    public enum Format {
        JSON,
        COMBINED
    }

    static AccessLog read(Table table) {
        var log =
                new AccessLog(
                        LogFile.read(table, true),
                        table.choice("format", Format.JSON),
                        table.whole("queue", 8192, 1, 1 << 20));
        if (log.file instanceof LogFile.Unset) {
            table.idle("there is no access log; set \"file\"", "format", "queue");
        }
        return log;
    }
}
