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

/**
 * Configures the server's own log as {@code [log]} of sirocco.toml says: the level, and a file or
 * standard error. Messages go through {@link System.Logger} to {@code java.util.logging}; where
 * system properties configure that, this class changes nothing. Any thread.
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
     * Makes the JDK load now what a first line needs, such as time zones: without free file
     * descriptors, it could not log later.
     */
    static void prepare() {
        ROOT.getHandlers();
        var record = new LogRecord(Level.INFO, "");
        record.setThrown(new IOException());
        LogDefaults.formatter().format(record);
    }

    /**
     * Changes the settings; if they are equal, reopens the file by its name.
     *
     * @throws IOException with a message for the operator, and without a change
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
     * Replaces the settings.
     *
     * @param level one of {@link #LEVELS}; below {@code info} it applies to this program alone, not
     *     to the JDK
     * @param file empty for standard error
     * @throws IOException with a message for the operator, and without a change
     */
    static void configure(String level, Optional<Path> file) throws IOException {
        Level chosen = LEVELS.get(level);
        if (chosen == null) {
            throw new IllegalArgumentException("not a log level: " + level);
        }
        if (LogDefaults.areOverridden()) {
            return;
        }
        Handler handler =
                file.isPresent() ? new ToFile(LogFile.open(file.get())) : new ConsoleHandler();
        handler.setFormatter(LogDefaults.formatter());
        handler.setLevel(Level.ALL);
        for (Handler before : ROOT.getHandlers()) {
            ROOT.removeHandler(before);
            before.close();
        }
        ROOT.addHandler(handler);
        ROOT.setLevel(chosen.intValue() < Level.INFO.intValue() ? Level.INFO : chosen);
        OURS.setLevel(chosen);
    }

    /** Reopens the file by its name, as logrotate requires. */
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
