// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LoggingTest {
    private static final System.Logger OURS = System.getLogger("io.sirocco.test");
    private static final System.Logger OTHERS = System.getLogger("org.test");

    @TempDir Path folder;

    @AfterEach
    void asItWas() throws IOException {
        Logging.configure("info", Optional.empty());
    }

    private static void sayAll(System.Logger log) {
        for (Level level : new Level[] {Level.ERROR, Level.WARNING, Level.INFO, Level.DEBUG}) {
            log.log(level, log.getName() + " says " + level);
        }
    }

    private String said(String level) throws IOException {
        Path file = folder.resolve(level + ".log");
        Logging.configure(level, Optional.of(file));
        sayAll(OURS);
        sayAll(OTHERS);
        return Files.readString(file);
    }

    private static long count(String text, String part) {
        return text.split(part, -1).length - 1;
    }

    @Test
    void theLevelDecidesWhatIsWritten() throws Exception {
        String error = said("error");
        assertEquals(1, count(error, "io.sirocco.test says"));
        assertEquals(1, count(error, "org.test says"));
        assertEquals(2, count(said("warning"), "io.sirocco.test says"));
        assertEquals(3, count(said("info"), "io.sirocco.test says"));
        String debug = said("debug");
        assertEquals(4, count(debug, "io.sirocco.test says"));
        assertEquals(3, count(debug, "org.test says"));
    }

    /** What is printed on standard output at the start is in the file as well. */
    @Test
    void aStartIsInTheFile() throws Exception {
        String toml =
                """
                [[listen]]
                address = "127.0.0.1:0"
                [log]
                file = "server.log"
                """;
        try (Running running = Running.of(folder, TransportKind.NIO, toml)) {
            String log = Files.readString(folder.resolve("server.log"));
            assertEquals(1, count(log, "started sirocco development"), log);
            assertTrue(log.contains("http://127.0.0.1:" + running.port()), log);
        }
    }

    @Test
    void aFileThatWasMovedAwayIsReplacedOnReopen() throws Exception {
        Path file = folder.resolve("server.log");
        Logging.configure("info", Optional.of(file));
        OURS.log(Level.INFO, "first");
        Files.move(file, folder.resolve("server.log.1"));
        Logging.reopen();
        OURS.log(Level.INFO, "second");
        assertTrue(Files.readString(folder.resolve("server.log.1")).contains("first"));
        assertTrue(Files.readString(file).contains("second"));
    }

    @Test
    void aFileThatCannotBeOpenedChangesNothing() throws Exception {
        Path file = folder.resolve("server.log");
        Logging.configure("info", Optional.of(file));
        Path nowhere = folder.resolve("none").resolve("server.log");
        var refused =
                assertThrows(
                        IOException.class, () -> Logging.configure("info", Optional.of(nowhere)));
        assertTrue(refused.getMessage().contains("there is no directory"), refused.getMessage());
        OURS.log(Level.INFO, "still here");
        assertTrue(Files.readString(file).contains("still here"));
    }
}
