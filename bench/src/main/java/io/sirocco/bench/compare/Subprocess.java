// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Runs a program that is expected to end by itself, with a time limit. All that it started has
 * ended, too, when these return or throw. Any thread.
 */
final class Subprocess {
    /** The status of a program that was not done in time, as timeout(1) has it. */
    static final int LATE = 124;

    static final Path NOWHERE = Path.of("/dev/null");

    private Subprocess() {}

    /**
     * What a program answered.
     *
     * @param status its exit status, or {@link #LATE}
     * @param output what it printed
     */
    record Answer(int status, String output) {}

    /**
     * Asks a program something; its errors go to the end of {@code log}.
     *
     * @throws IOException when it is not there
     * @throws InterruptedException when the thread was interrupted
     */
    static Answer ask(ProcessBuilder program, Path log, Duration limit)
            throws IOException, InterruptedException {
        Path output = Files.createTempFile("sirocco-compare", ".out");
        try {
            program.redirectOutput(output.toFile()).redirectError(Redirect.appendTo(log.toFile()));
            int status = run(program, limit);
            byte[] said = Files.readAllBytes(output);
            return new Answer(status, new String(said, StandardCharsets.UTF_8));
        } finally {
            Files.deleteIfExists(output);
        }
    }

    /** The same, where errors are of no interest. */
    static Answer ask(List<String> command, Duration limit)
            throws IOException, InterruptedException {
        return ask(new ProcessBuilder(command), NOWHERE, limit);
    }

    /** Lets a program work; all that it prints goes to {@code log}. Returns its exit status. */
    static int work(ProcessBuilder program, Path log, Duration limit)
            throws IOException, InterruptedException {
        program.redirectErrorStream(true).redirectOutput(log.toFile());
        return run(program, limit);
    }

    private static int run(ProcessBuilder program, Duration limit)
            throws IOException, InterruptedException {
        try (var group = ProcessGroup.start(program)) {
            return group.endsWithin(limit) ? group.status() : LATE;
        }
    }
}
