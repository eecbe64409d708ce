// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.app.config.Log;
import io.sirocco.web.log.LogFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.logging.ConsoleHandler;
import java.util.logging.ErrorManager;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/**
 * What the server has to say itself, as the section {@code [log]} of sirocco.toml has it: the
 * level, and a file or standard error. All of it goes through {@link System.Logger}, whose records
 * the JDK hands to {@code java.util.logging}; a user who has configured that by system properties
 * keeps what they have. Any thread.
 */
final class Logging {
    /** Levels by their names in sirocco.toml. */
    static final Map<String, Level> LEVELS =
            Map.of(
                    "error", Level.SEVERE,
                    "warning", Level.WARNING,
                    "info", Level.INFO,
                    "debug", Level.FINE);

    private static final Logger ROOT = Logger.getLogger("");
    private static final Logger OURS = Logger.getLogger("io.sirocco"); // loggers are kept weakly

    private Logging() {}

    /**
     * Has the JDK read now what it needs for a first line, such as the time zones: where no
     * descriptor is left by then, nothing could be logged ever after.
     */
    static void prepare() {
        ROOT.getHandlers();
        var record = new LogRecord(Level.INFO, "");
        record.setThrown(new IOException());
        new SimpleFormatter().format(record);
    }

    /**
     * Goes from one setting to another; from one to itself, with the file that has the name now.
     *
     * @throws IOException with a message for the operator; then nothing has changed
     */
    static void change(Log before, Log next) throws IOException {
        if (before.equals(next)) {
            reopen();
            return;
        }
        Optional<Path> file =
                next.file() instanceof io.sirocco.app.config.LogFile.Named(Path path)
                        ? Optional.of(path)
                        : Optional.empty();
        configure(next.level().name().toLowerCase(Locale.ROOT), file);
    }

    /**
     * Logs so from now on, in the place of what was set before.
     *
     * @param level one of {@link #LEVELS}; below {@code info} it concerns this program alone, not
     *     the JDK
     * @param file empty for standard error
     * @throws IOException with a message for the operator; then nothing has changed
     */
    static void configure(String level, Optional<Path> file) throws IOException {
        Level chosen = LEVELS.get(level);
        if (chosen == null) {
            throw new IllegalArgumentException("no level of the log: " + level);
        }
        if (System.getProperty("java.util.logging.config.file") != null
                || System.getProperty("java.util.logging.config.class") != null) {
            return;
        }
        Handler handler =
                file.isPresent() ? new ToFile(LogFile.open(file.get())) : new ConsoleHandler();
        handler.setFormatter(new SimpleFormatter());
        handler.setLevel(Level.ALL);
        for (Handler before : ROOT.getHandlers()) {
            ROOT.removeHandler(before);
            before.close();
        }
        ROOT.addHandler(handler);
        ROOT.setLevel(chosen.intValue() < Level.INFO.intValue() ? Level.INFO : chosen);
        OURS.setLevel(chosen);
    }

    /** Goes on with the file that has the name now: what logrotate asks for. */
    static void reopen() {
        for (Handler handler : ROOT.getHandlers()) {
            if (handler instanceof ToFile toFile) {
                toFile.reopen();
            }
        }
    }

    /** Writes each record at once. */
    private static final class ToFile extends Handler {
        private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

        private final LogFile file;
        private long looked = System.nanoTime();

        ToFile(LogFile file) {
            this.file = file;
        }

        @Override
        public synchronized void publish(LogRecord record) {
            if (!isLoggable(record)) {
                return;
            }
            try {
                long now = System.nanoTime();
                if (now - looked > SECOND) {
                    looked = now;
                    if (file.moved()) {
                        file.reopen();
                    }
                }
                file.write(ByteBuffer.wrap(getFormatter().format(record).getBytes(UTF_8)));
            } catch (IOException | RuntimeException e) {
                reportError(null, e, ErrorManager.WRITE_FAILURE);
            }
        }

        synchronized void reopen() {
            try {
                file.reopen();
            } catch (IOException e) {
                reportError(null, e, ErrorManager.OPEN_FAILURE);
            }
        }

        @Override
        public void flush() {}

        @Override
        public synchronized void close() {
            try {
                file.close();
            } catch (IOException e) {
                reportError(null, e, ErrorManager.CLOSE_FAILURE);
            }
        }
    }
}
