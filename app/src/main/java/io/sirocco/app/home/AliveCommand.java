// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.home;

import io.sirocco.app.home.ToolOptions.Connection;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code sirocco home alive}: asks a controller whether its scripts run. */
@Command(
        name = "alive",
        description = {
            "Asks a controller whether its scripts run. The exit status is 1 if they do not.",
            ""
        },
        sortOptions = false)
final class AliveCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Mixin private ToolOptions options;

    @Override
    public Integer call() throws IOException, InterruptedException {
        try (Connection connection = options.connect()) {
            String value = ToolOptions.await(connection.client().execute("checkAlive()"));
            if (value.equals("emergency") || value.equals("nil")) {
                throw new IOException(
                        value.equals("nil")
                                ? "the controller responds, but checkAlive() fails"
                                : "the controller runs its emergency script");
            }
            spec.commandLine().getOut().println("alive: " + value);
            spec.commandLine().getOut().flush();
        }
        return 0;
    }
}
