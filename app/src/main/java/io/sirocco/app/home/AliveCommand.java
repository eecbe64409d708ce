// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.home;

import io.sirocco.app.home.ToolOptions.Connection;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
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
    private static final Pattern SERIAL = Pattern.compile("[0-9A-Fa-f]{8}");

    @Spec private CommandSpec spec;

    @Mixin private ToolOptions options;

    @Override
    public Integer call() throws IOException, InterruptedException {
        try (Connection connection = options.connect()) {
            String value = connection.await(connection.client().execute("checkAlive()"));
            PrintWriter out = spec.commandLine().getOut();
            out.println(alive(connection.controller(), value));
            out.flush();
        }
        return 0;
    }

    private static String alive(InetSocketAddress controller, String value) throws IOException {
        String address = controller.getAddress().getHostAddress() + ":" + controller.getPort();
        if (value.equalsIgnoreCase("true")) {
            return address + " is alive";
        }
        if (SERIAL.matcher(value).matches()) {
            return address + " is alive, serial " + value;
        }
        throw new IOException(
                address
                        + switch (value) {
                            case "emergency" ->
                                    " runs its emergency script: its log says why MAIN.LUA does not"
                                            + " run";
                            case "nil" ->
                                    " responds, but checkAlive() fails: its log says why, and its"
                                            + " MAIN.LUA must define that function";
                            default ->
                                    " responds, but checkAlive() returns '"
                                            + value
                                            + "': it must return \"true\", or the serial number in"
                                            + " eight hexadecimal digits";
                        });
    }
}
