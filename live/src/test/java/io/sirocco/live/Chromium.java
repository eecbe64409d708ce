// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;

/** A page in Chromium, without a screen; it tells by itself what it has found. */
final class Chromium implements AutoCloseable {
    private static final Path PROGRAM = Path.of("/usr/bin/chromium");

    private final Path profile;
    private Process process; // null before it has a page

    Chromium() throws IOException {
        assumeTrue(Files.isExecutable(PROGRAM), "needs chromium (Debian: chromium)");
        profile = Files.createTempDirectory("chromium");
    }

    void open(String url) throws IOException {
        process =
                new ProcessBuilder(
                                PROGRAM.toString(),
                                "--headless",
                                "--no-sandbox",
                                "--disable-gpu",
                                "--disable-background-networking",
                                "--no-first-run",
                                "--remote-debugging-port=0", // else it ends when the page is there
                                "--user-data-dir=" + profile,
                                url)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
    }

    @Override
    public void close() throws IOException {
        if (process != null) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().onExit().join();
        }
        try (var files = Files.walk(profile)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
        }
    }
}
