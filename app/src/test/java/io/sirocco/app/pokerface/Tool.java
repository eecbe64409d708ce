// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.pokerface;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A program of others: curl, openssl. Bytes are characters. Any thread. */
public record Tool(String name) {
    public static final Tool CURL = new Tool("curl");
    public static final Tool OPENSSL = new Tool("openssl");

    public record Result(int exit, String out) {}

    /** Runs it in {@code folder}, for a minute at most; the test is skipped where it is missing. */
    public Result run(Path folder, String... arguments) throws IOException, InterruptedException {
        assumeTrue(installed(), name + " is not installed");
        var command = new ArrayList<>(List.of(name));
        command.addAll(List.of(arguments));
        Path out = Files.createTempFile(folder, name, ".out");
        Process process =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectInput(new File("/dev/null"))
                        .redirectErrorStream(true)
                        .redirectOutput(out.toFile())
                        .start();
        try {
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                throw new AssertionError(command + " does not end: " + read(out));
            }
            return new Result(process.exitValue(), read(out));
        } finally {
            process.destroyForcibly().onExit().join();
            Files.delete(out);
        }
    }

    /** The same, but it must succeed. */
    public String does(Path folder, String... arguments) throws IOException, InterruptedException {
        Result result = run(folder, arguments);
        if (result.exit != 0) {
            throw new AssertionError(name + ": " + result);
        }
        return result.out;
    }

    private static String read(Path file) throws IOException {
        return Files.readString(file, ISO_8859_1);
    }

    private boolean installed() {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, name)));
    }
}
