// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.home;

import io.sirocco.home.InterfaceFiles;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sirocco home interfaces}: writes the interface files of this controller. */
@Command(
        name = "interfaces",
        description = {
            "Writes the interface files of this controller into a folder, for Object Manager and for"
                    + " clients such as pygrenton. Files of the same names are replaced.",
            ""
        },
        sortOptions = false)
final class InterfacesCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Parameters(paramLabel = "DIR", description = "The folder, which is created.")
    private Path directory;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        InterfaceFiles.write(directory).forEach(out::println);
        out.flush();
        return 0;
    }
}
