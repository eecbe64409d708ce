// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.app.config.Configuration;
import io.sirocco.app.config.InvalidConfiguration;
import io.sirocco.app.config.Overrides;
import io.sirocco.app.config.Problem;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sirocco check}: prints the options of a configuration, or everything wrong with it. */
@Command(
        name = "check",
        description = {
            "Reads a configuration as 'serve' does and prints all options with their values, or"
                    + " reports all mistakes and exits with status 2.",
            ""
        },
        sortOptions = false)
final class Check implements Callable<Integer> {

    /** The manual: every option with its default. */
    private static final String TEMPLATE = "sirocco.toml";

    @Spec private CommandSpec spec;

    @Parameters(
            paramLabel = "FILE",
            arity = "0..1",
            defaultValue = TEMPLATE,
            description = "The file to read. (default: ${DEFAULT-VALUE})")
    private Path file;

    @Option(
            names = "--template",
            description =
                    "Print a template instead: every option with its default and an explanation.")
    private boolean template;

    @Option(
            names = "--json",
            description = "Print JSON: sizes in bytes, durations in seconds, absolute paths.")
    private boolean json;

    @Option(
            names = "--secrets",
            description =
                    "Print passwords, too. Without it, they are ***, and the output is no"
                            + " configuration to use.")
    private boolean secrets;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        try {
            if (template) {
                out.print(template());
            } else {
                Configuration configuration = Configuration.load(file, Overrides.NONE);
                List<Problem> soon = Verification.verify(configuration, Optional.empty());
                configuration.warnings().forEach(err::print);
                soon.forEach(err::print);
                String all = printed(configuration);
                String shown = secrets ? all : printed(configuration.withoutSecrets());
                if (!shown.equals(all)) {
                    err.println(file + ": passwords are printed as ***; --secrets shows them");
                }
                out.print(shown);
            }
            return ExitCode.OK;
        } catch (InvalidConfiguration invalid) {
            err.print(invalid.getMessage());
            return ExitCode.USAGE;
        } finally {
            out.flush();
            err.flush();
        }
    }

    private String printed(Configuration configuration) {
        return json ? configuration.toJson() : configuration.toToml();
    }

    static String template() throws IOException {
        try (InputStream in = Check.class.getResourceAsStream(TEMPLATE)) {
            return new String(in.readAllBytes(), UTF_8);
        }
    }
}
