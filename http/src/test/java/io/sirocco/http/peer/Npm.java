// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.peer;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A program of Node.js in src/test/peers, with the packages that its lock file names. Used by one
 * thread.
 */
public final class Npm {
    private static final int SECONDS = 120;

    private final Path folder;

    /**
     * Installs it, unless that was done before, by one JVM at a time; the test is skipped where it
     * cannot be.
     */
    public Npm(String name) {
        Path source = Path.of("src/test/peers", name);
        folder = Path.of("target/peers", name).toAbsolutePath();
        try {
            Files.createDirectories(folder);
            try (FileChannel lock = FileChannel.open(folder.resolve("lock"), CREATE, WRITE)) {
                lock.lock(); // until it is closed
                copy(source);
                assumeTrue(runs("node", "--version"), "needs node (Debian: nodejs)");
                assumeTrue(runs("npm", "--version"), "needs npm (Debian: npm)");
                install();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Leaves files alone that are the same: another JVM may run them. */
    private void copy(Path source) throws IOException {
        try (var files = Files.list(source)) {
            for (Path file : files.toList()) {
                Path copy = folder.resolve(file.getFileName());
                if (!Files.exists(copy) || Files.mismatch(file, copy) >= 0) {
                    Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
                }
            }
        }
    }

    private void install() throws IOException {
        Path known = folder.resolve("installed");
        String packages = Files.readString(folder.resolve("package-lock.json"));
        if (!Files.exists(known) || !Files.readString(known).equals(packages)) {
            assumeTrue(
                    runs("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"),
                    "needs a registry of npm");
            Files.writeString(known, packages);
        }
    }

    /** Where it lies, with its packages. */
    public Path folder() {
        return folder;
    }

    private boolean runs(String... command) {
        try {
            var builder = new ProcessBuilder(command).redirectErrorStream(true);
            builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
            builder.directory(folder.toFile());
            Process process = builder.start();
            boolean ended = process.waitFor(SECONDS, TimeUnit.SECONDS);
            process.destroyForcibly();
            return ended && process.exitValue() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Runs a program of it; returns the lines that it prints, complaints included. */
    public List<String> run(String program, String... arguments) {
        var command = new ArrayList<>(List.of("node", program));
        command.addAll(List.of(arguments));
        try {
            Path output = Files.createTempFile(folder, "output", "");
            Process process =
                    new ProcessBuilder(command)
                            .directory(folder.toFile())
                            .redirectErrorStream(true)
                            .redirectOutput(output.toFile())
                            .start();
            boolean ended = process.waitFor(SECONDS, TimeUnit.SECONDS);
            process.destroyForcibly().waitFor();
            var lines = new ArrayList<>(Files.readAllLines(output));
            if (!ended) {
                lines.add("it does not end");
            }
            return lines;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Starts a program of it, whose complaints are ours. */
    public Process start(String program, String... arguments) throws IOException {
        var command = new ArrayList<>(List.of("node", program));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }
}
