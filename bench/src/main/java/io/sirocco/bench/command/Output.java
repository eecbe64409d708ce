// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

import java.io.PrintWriter;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** How a result is shown. */
class Output {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(names = "--json", description = "Print the result as JSON, for programs.")
    private boolean json;

    /** Prints what is asked for: a table for people, or JSON. */
    final void print(Supplier<String> table, Supplier<String> forPrograms) {
        PrintWriter out = command.commandLine().getOut();
        out.print(json ? forPrograms.get() : table.get());
        out.flush();
    }
}
