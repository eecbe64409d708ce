// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.testkit.FreePort;
import java.io.FileInputStream;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** An event loop that a native call stops ends the process with its code. */
@Tag("peers")
@EnabledOnOs(OS.LINUX)
class StalledLoopProcessTest {
    private static final List<String> FLAGS =
            List.of(
                    "--add-opens=java.base/java.lang=ALL-UNNAMED",
                    "--enable-native-access=ALL-UNNAMED");

    @TempDir Path folder;
    private int admin;
    private Path file;

    @BeforeEach
    void configure() throws Exception {
        assertEquals(0, new ProcessBuilder("mkfifo", pipe(), start()).start().waitFor());
        admin = FreePort.tcp();
        file =
                Files.writeString(
                        folder.resolve("sirocco.toml"),
                        """
                        [[listen]]
                        address = "127.0.0.1:0"
                        [server]
                        loops = 2
                        drain-timeout = "1s"
                        blocked-loop-timeout = "500ms"
                        [admin]
                        address = "127.0.0.1:%d"
                        """
                                .formatted(admin));
    }

    /** Nobody writes to it, for now. */
    private String pipe() {
        return folder.resolve("pipe").toString();
    }

    /** When the first byte is written to it, a loop opens the other one. */
    private String start() {
        return folder.resolve("start").toString();
    }

    private Child serving(List<String> flags) throws IOException {
        var child = new Child(flags, Stopping.class, start(), pipe(), file.toString());
        child.port();
        Files.writeString(Path.of(start()), "now");
        return child;
    }

    @Test
    void theProcessEnds() throws Exception {
        try (var child = serving(FLAGS)) {
            assertEquals(Serving.FAILED, child.exitCode());
            String log = child.err();
            assertTrue(log.contains("has not ended its turn for"), log);
            assertTrue(log.contains("FileInputStream.open"), log);
        }
    }

    @Test
    void aProcessWithADebuggersAgentDoesNot() throws Exception {
        var flags = new ArrayList<>(FLAGS);
        flags.add(
                "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0,quiet=y");
        try (var child = serving(flags)) {
            for (String line = "-"; !line.contains("was started for a debugger"); ) {
                line = child.errLine();
                assertTrue(!line.isEmpty(), "it has ended");
            }
            assertEquals(200, Client.get(admin, "/health").status());
            Files.writeString(Path.of(pipe()), "go on");
            child.signal("TERM");
            assertEquals(0, child.exitCode());
        }
    }

    /** Serves, and has a loop open a pipe that nobody writes to. */
    static final class Stopping {
        private Stopping() {}

        public static void main(String[] arguments) {
            Thread.ofPlatform().daemon().start(() -> stopALoop(arguments[0], arguments[1]));
            Main.main(new String[] {"serve", "--config", arguments[2]});
        }

        private static void stopALoop(String start, String pipe) {
            try {
                Files.readString(Path.of(start));
                Thread loop = aLoop();
                ((Executor) valueOf(valueOf(loop, "scheduler"), "loop"))
                        .execute(
                                () -> {
                                    try (var in = new FileInputStream(pipe)) {
                                        in.readAllBytes();
                                    } catch (IOException e) {
                                        throw new AssertionError(e);
                                    }
                                });
            } catch (IOException | ReflectiveOperationException e) {
                throw new AssertionError(e);
            }
        }

        /** Returns a loop of the server, not that of the admin server. */
        private static Thread aLoop() throws ReflectiveOperationException {
            Field threads = Class.forName("io.sirocco.net.Loop").getDeclaredField("THREADS");
            threads.setAccessible(true);
            for (Object thread : (Set<?>) threads.get(null)) {
                if (((Thread) thread).getName().equals("sirocco-loop-1")) {
                    return (Thread) thread;
                }
            }
            throw new AssertionError("there is no such loop");
        }

        private static Object valueOf(Object of, String name) throws ReflectiveOperationException {
            Field field = of.getClass().getDeclaredField(name);
            field.setAccessible(true);
            return field.get(of);
        }
    }
}
