// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

import java.util.OptionalLong;
import picocli.CommandLine.Option;

/** The option of those who look at the server's process. */
final class Watching {
    @Option(
            names = "--pid",
            paramLabel = "PID",
            description = "The process of the server. (default: found by its socket)")
    private Long pid;

    OptionalLong pid() {
        return pid == null ? OptionalLong.empty() : OptionalLong.of(pid);
    }
}
