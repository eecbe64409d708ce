// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Spec;

/** {@code sirocco bench}: says what benchmarks there are; each is a command of its own. */
@Command(
        name = "bench",
        description = "Drives servers and measures them.",
        subcommands = {
            HttpCommand.class,
            HoldCommand.class,
            LiveCommand.class,
            CluCommand.class,
            StartCommand.class,
            CompareCommand.class,
            ReportCommand.class,
            CommandLine.HelpCommand.class
        },
        synopsisSubcommandLabel = "BENCHMARK")
public final class Bench implements Runnable {
    @Spec private CommandLine.Model.CommandSpec spec;

    /** Without a benchmark: which there are. */
    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
