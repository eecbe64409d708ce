// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.peer;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A program of Python in src/test/peers, with the packages that its requirements.txt names, in an
 * environment of its own. Used by one thread.
 */
public final class Python {
    private static final int SECONDS = 120;

    private final Path source;
    private final Path folder;

    /** Installs it, unless that was done before; the test is skipped where it cannot be. */
    public Python(String name) {
        source = Path.of("src/test/peers", name).toAbsolutePath();
        folder = Path.of("target/peers", name).toAbsolutePath();
        try {
            Files.createDirectories(folder);
            install();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void install() throws IOException {
        Path known = folder.resolve("installed");
        Path requirements = source.resolve("requirements.txt");
        String wanted = Files.readString(requirements);
        if (Files.exists(known) && Files.readString(known).equals(wanted)) {
            return;
        }
        assumeTrue(
                runs("virtualenv", "-q", folder.toString())
                        || runs("python3", "-m", "venv", folder.toString()),
                "needs virtualenv (Debian: virtualenv)");
        String pip = folder.resolve("bin/pip").toString();
        assumeTrue(runs(pip, "install", "-q", "-r", requirements.toString()), "needs PyPI");
        Files.writeString(known, wanted);
    }

    private boolean runs(String... command) throws IOException {
        try {
            return run(List.of(command), folder.resolve("output")) == 0;
        } catch (IOException e) {
            return false; // there is no such program
        }
    }

    /** Runs a program of it; returns the lines that it prints, complaints included. */
    public List<String> run(String program, String... arguments) throws IOException {
        var command = new ArrayList<String>();
        command.add(folder.resolve("bin/python").toString());
        command.add(source.resolve(program).toString());
        command.addAll(List.of(arguments));
        Path output = Files.createTempFile(folder, "output", "");
        int status = run(command, output);
        var lines = new ArrayList<>(Files.readAllLines(output));
        Files.delete(output);
        if (status != 0) {
            lines.add(status < 0 ? "it does not end" : "it ends with status " + status);
        }
        return lines;
    }

    /** Returns the exit status; -1 for a command that does not end in time. */
    private int run(List<String> command, Path output) throws IOException {
        Process process =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        try {
            boolean ended = process.waitFor(SECONDS, TimeUnit.SECONDS);
            process.destroyForcibly().waitFor();
            return ended ? process.exitValue() : -1;
        } catch (InterruptedException e) {
            process.destroyForcibly();
            throw new IllegalStateException(e);
        }
    }
}
