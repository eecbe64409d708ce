// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.time.Instant;
import java.time.ZoneId;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogLineTest {
    private static final String LINE = "%1$tF %1$tT.%1$tL %2$s %3$s%n";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2026-01-02T03:04:05.006Z",
                "2026-07-31T23:59:59.999999Z",
                "2024-02-29T00:00:00Z",
                "1969-12-31T23:59:59.001Z"
            })
    void aRecordIsOneLineWithTheLocalTime(String time) {
        LogRecord record = record("it happened");
        record.setInstant(Instant.parse(time));
        var local = record.getInstant().atZone(ZoneId.systemDefault());
        String expected = LINE.formatted(local, "WARNING", "it happened");
        assertEquals(expected, new LogLine().format(record));
    }

    @Test
    void parametersAreFilledIn() {
        LogRecord record = record("{0} of {1}");
        record.setParameters(new Object[] {"one", "two"});
        assertTrue(new LogLine().format(record).endsWith(" WARNING one of two%n".formatted()));
    }

    @Test
    void aStackTraceFollowsAsTheJdkWritesIt() {
        LogRecord record = record("it failed");
        record.setThrown(new IOException("why", new IllegalStateException()));
        String own = new LogLine().format(record);
        String jdk = new SimpleFormatter().format(record);
        String trace = "java.io.IOException: why";
        assertEquals(
                jdk.substring(jdk.indexOf(trace)).strip() + System.lineSeparator(),
                own.substring(own.indexOf(trace)));
        assertTrue(own.contains("WARNING it failed%n".formatted() + trace), own);
    }

    private static LogRecord record(String message) {
        return new LogRecord(Level.WARNING, message);
    }

    @Test
    void whatAMessageContainsLooksLikeNoOtherLine() {
        String forged =
                "a\r\n2026-01-01 00:00:00.000 INFO forged\u001b[2J\u009b\u2028\u202e\u2066\u200f";
        var record = new java.util.logging.LogRecord(java.util.logging.Level.INFO, forged);
        record.setThrown(new IllegalStateException(forged, new IllegalStateException(forged)));
        String lines = new LogLine().format(record).replace(System.lineSeparator(), "\n");
        org.junit.jupiter.api.Assertions.assertFalse(
                lines.matches(
                        "(?s).*([\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u200f\\u2028-\\u202e\\u2066-\\u2069]|\n2026).*"),
                lines);
    }

    /** As java.util.logging does, which knows its name only, and says nothing when it cannot. */
    @Test
    void anybodyCanCreateOne() throws Exception {
        MethodHandles.publicLookup()
                .findConstructor(LogLine.class, MethodType.methodType(void.class));
    }
}
