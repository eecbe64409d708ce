// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

import java.time.Duration;
import picocli.CommandLine.Option;

/** Options of those who put as much load on a server as it takes: their threads, and a warm-up. */
final class Generating {
    @Option(
            names = {"-t", "--loops"},
            paramLabel = "N",
            defaultValue = "1",
            description = "Threads, each an event loop. (default: ${DEFAULT-VALUE})")
    private int loops;

    @Option(
            names = "--warm-up",
            paramLabel = "TIME",
            defaultValue = "1s",
            converter = TimeWord.class,
            description = "Do the same before measuring. (default: ${DEFAULT-VALUE})")
    private Duration warmUp;

    int loops() {
        return loops;
    }

    Duration warmUp() {
        return warmUp;
    }
}
