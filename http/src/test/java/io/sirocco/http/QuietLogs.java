// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import java.util.List;
import java.util.ResourceBundle;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;

/**
 * What a server says of handlers that throw is no news in tests, which make them throw by the
 * hundred; all other loggers say on standard error what is a warning or worse. Any thread.
 */
public final class QuietLogs extends System.LoggerFinder {
    /** Get each message with its failure, whether it is shown or not. */
    public static final List<BiConsumer<String, Throwable>> READERS = new CopyOnWriteArrayList<>();

    /** Get each message with its level. */
    public static final List<BiConsumer<System.Logger.Level, String>> LEVELS =
            new CopyOnWriteArrayList<>();

    /** For the service loader. */
    public QuietLogs() {}

    @Override
    public System.Logger getLogger(String name, Module module) {
        return new Quiet(name);
    }

    private record Quiet(String name) implements System.Logger {
        @Override
        public String getName() {
            return name;
        }

        @Override
        public boolean isLoggable(Level level) {
            return level.compareTo(Level.WARNING) >= 0 && !name.equals(Server.class.getName());
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
            READERS.forEach(reader -> reader.accept(message, thrown));
            if (isLoggable(level)) {
                System.err.println(level + " " + message);
                if (thrown != null) {
                    thrown.printStackTrace();
                }
            }
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String format, Object... parameters) {
            String message = java.text.MessageFormat.format(format, parameters);
            READERS.forEach(reader -> reader.accept(message, null));
            LEVELS.forEach(reader -> reader.accept(level, message));
            if (isLoggable(level)) {
                System.err.println(level + " " + message);
            }
        }
    }
}
