// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.logging.ConsoleHandler;
import java.util.logging.Formatter;
import java.util.logging.LogManager;
import java.util.logging.SimpleFormatter;
import java.util.stream.Stream;

/**
 * The configuration of {@code java.util.logging} unless system properties say otherwise: {@link
 * LogLine} to standard error. The JDK's {@link SimpleFormatter} would load locale data at each
 * start. {@code LogManager} instantiates this class when the log is first used. Any thread.
 */
public final class LogDefaults {
    private static final String PREFIX = "java.util.logging.";
    private static final String FORMAT = PREFIX + "SimpleFormatter.format";
    private static final String FILE = PREFIX + "config.file";
    private static final String CLASS = PREFIX + "config.class";

    /** Applies the configuration. Called by {@code LogManager}. */
    public LogDefaults() throws IOException {
        String console = ConsoleHandler.class.getName();
        String properties =
                """
                handlers=%s
                .level=INFO
                %s.formatter=%s
                """
                        .formatted(console, console, LogLine.class.getName());
        LogManager.getLogManager()
                .readConfiguration(new ByteArrayInputStream(properties.getBytes(US_ASCII)));
    }

    /** Makes these the defaults of this process, before the first use of the log. */
    static void install() {
        if (Stream.of(FORMAT, FILE, CLASS).allMatch(key -> System.getProperty(key) == null)) {
            System.setProperty(CLASS, LogDefaults.class.getName());
        }
    }

    /** Returns whether system properties configure handlers, which then stay as they are. */
    static boolean areOverridden() {
        String name = System.getProperty(CLASS, LogDefaults.class.getName());
        return System.getProperty(FILE) != null || !name.equals(LogDefaults.class.getName());
    }

    /** Returns what formats records: {@link LogLine}, unless there is a format of the user's. */
    static Formatter formatter() {
        return System.getProperty(FORMAT) == null ? new LogLine() : new SimpleFormatter();
    }
}
