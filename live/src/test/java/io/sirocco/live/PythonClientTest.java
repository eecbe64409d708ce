// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** python-socketio, over each transport. */
@Tag("peers")
class PythonClientTest {
    private static final Path SOURCE = Path.of("src/test/peers/python").toAbsolutePath();
    private static final Path PYTHON = Path.of("target/peers/python").toAbsolutePath();

    private static boolean runs(Path output, String... command) throws Exception {
        try {
            Process process =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(output.toFile())
                            .start();
            boolean ended = process.waitFor(120, TimeUnit.SECONDS);
            process.destroyForcibly().waitFor();
            return ended && process.exitValue() == 0;
        } catch (IOException e) {
            return false; // there is no such program
        }
    }

    private static void install() throws Exception {
        Files.createDirectories(PYTHON);
        Path output = PYTHON.resolve("output");
        Path done = PYTHON.resolve("installed");
        if (!Files.exists(done)) {
            assumeTrue(
                    runs(output, "virtualenv", "-q", PYTHON.toString()),
                    "needs virtualenv (Debian: virtualenv)");
            String pip = PYTHON.resolve("bin/pip").toString();
            String what = SOURCE.resolve("requirements.txt").toString();
            assumeTrue(runs(output, pip, "install", "-q", "-r", what), "needs PyPI");
            Files.createFile(done);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"websocket", "polling", "polling,websocket"})
    void isServed(String transports) throws Exception {
        install();
        try (var here = new Acquaintance()) {
            Path output = PYTHON.resolve("facts");
            String python = PYTHON.resolve("bin/python").toString();
            String program = SOURCE.resolve("client.py").toString();
            runs(output, python, program, Integer.toString(here.port()), transports);
            assertEquals(Acquaintance.expected(), Files.readString(output).strip());
        }
    }
}
