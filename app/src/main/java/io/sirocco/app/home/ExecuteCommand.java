// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.home;

import io.sirocco.app.home.ToolOptions.Connection;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sirocco home execute}: evaluates a Lua expression on a controller. */
@Command(
        name = "execute",
        description = {"Evaluates a Lua expression on a controller, and prints its value.", ""},
        sortOptions = false)
final class ExecuteCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Mixin private ToolOptions options;

    @Parameters(
            paramLabel = "SCRIPT",
            description = "The expression, for example 'DOU1:set(0, 1)'.")
    private String script;

    @Override
    public Integer call() throws IOException, InterruptedException {
        try (Connection connection = options.connect()) {
            String value = connection.await(connection.client().execute(script));
            PrintWriter out = spec.commandLine().getOut();
            out.println(value);
            out.flush();
        }
        return 0;
    }
}
