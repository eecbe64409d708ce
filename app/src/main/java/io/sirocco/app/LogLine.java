// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.net.log.LogText;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.TimeZone;
import java.util.logging.Formatter;
import java.util.logging.LogRecord;

/**
 * Formats a record as a line: the local time, the level, the message, and below it the stack trace
 * if there is one. Only a record begins a line with its time: further lines of a message are
 * indented, and control characters become {@code ?}. Public because {@code java.util.logging}
 * instantiates it by its name. Any thread.
 */
public final class LogLine extends Formatter {
    @Override
    public String format(LogRecord record) {
        long millis = record.getMillis();
        int offset = TimeZone.getDefault().getOffset(millis);
        int nanos = (int) Math.floorMod(millis, 1_000L) * 1_000_000;
        var time =
                LocalDateTime.ofEpochSecond(
                        Math.floorDiv(millis + offset, 1_000L), nanos, ZoneOffset.UTC);
        var line = new StringBuilder(128);
        digits(line.append(time.toLocalDate()).append(' '), time.getHour(), 2);
        digits(line.append(':'), time.getMinute(), 2);
        digits(line.append(':'), time.getSecond(), 2);
        digits(line.append('.'), nanos / 1_000_000, 3);
        line.append(' ').append(record.getLevel().getName());
        line.append(' ').append(LogText.of(formatMessage(record))).append(System.lineSeparator());
        if (record.getThrown() != null) {
            var trace = new StringWriter();
            record.getThrown().printStackTrace(new PrintWriter(trace, true));
            frames(line, trace.toString());
        }
        return line.toString();
    }

    /** Appends a stack trace, in which messages of exceptions may have further lines. */
    private static void frames(StringBuilder to, String trace) {
        boolean first = true;
        for (String each : trace.split("\\R")) {
            boolean known = first || each.startsWith("\t") || each.startsWith("Caused by: ");
            to.append(known ? "" : "    ").append(LogText.of(each)).append(System.lineSeparator());
            first = false;
        }
    }

    private static void digits(StringBuilder to, int number, int count) {
        String digits = Integer.toString(number);
        to.repeat('0', count - digits.length()).append(digits);
    }
}
