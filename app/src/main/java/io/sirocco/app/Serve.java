// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.app.config.InvalidConfiguration;
import io.sirocco.app.config.Overrides;
import io.sirocco.bench.command.TimeWord;
import io.sirocco.bench.command.TransportWord;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;

/**
 * {@code sirocco serve}: reads and checks its options, then leaves the work to {@link Serving}.
 *
 * <p>Its options are objects and not annotated fields, as those of the other commands are: a server
 * starts more often than they do, and reading annotations takes longer than all else that it does.
 */
class Serve implements Callable<Integer> {

    /** More loops than this help no machine that we know of; a larger number is a slip. */
    private static final int MOST_LOOPS = 1024;

    private static final Path USUAL = Path.of("sirocco.toml");

    private final PositionalParamSpec directory =
            PositionalParamSpec.builder()
                    .paramLabel("DIR")
                    .arity("0..1")
                    .type(Path.class)
                    .description("The directory to serve; without it, a bundled page.")
                    .build();

    private final OptionSpec config =
            option("--config", "FILE", Path.class)
                    .description(
                            "What to serve and how: a sirocco.toml. 'sirocco check --template'"
                                    + " prints one that explains itself. Options given here go"
                                    + " before the file's.",
                            "(default: sirocco.toml in the working directory, if there is one and"
                                    + " no DIR)")
                    .build();

    private final OptionSpec port =
            option("--port", "N", Integer.class)
                    .description(
                            "The port to listen on; 0 lets the system choose a free one.",
                            "(default: 8080)")
                    .build();

    private final OptionSpec host =
            option("--host", "H", String.class)
                    .description(
                            "The address or name to listen on. 0.0.0.0 or :: opens the server to"
                                    + " the network.",
                            "(default: 127.0.0.1, this machine only)")
                    .build();

    private final OptionSpec selfSigned =
            OptionSpec.builder("--tls-self-signed")
                    .description(
                            "HTTPS with a certificate for localhost, made at the first start;"
                                    + " browsers warn of it.")
                    .build();

    private final OptionSpec loops =
            option("--loops", "N", Integer.class)
                    .description("How many event loops, one thread each. (default: one per core)")
                    .build();

    private final OptionSpec transport =
            option("--transport", "T", TransportKind.class)
                    .converters(new TransportWord())
                    .description(
                            "How to talk to the kernel: auto, io_uring or nio. auto takes io_uring"
                                    + " where the system allows it.",
                            "(default: auto)")
                    .build();

    private final OptionSpec idle =
            option("--idle", "TIME", Duration.class)
                    .converters(new TimeWord())
                    .description(
                            "How long a connection may be without a request: 90s, 5m; 0s is for"
                                    + " ever.",
                            "(default: 75s)")
                    .build();

    final CommandSpec spec =
            CommandSpec.wrapWithoutInspection(this, Main.FACTORY)
                    .addPositional(directory)
                    .addOption(config)
                    .addOption(port)
                    .addOption(host)
                    .addOption(selfSigned)
                    .addOption(loops)
                    .addOption(transport)
                    .addOption(idle);

    Serve(String name, String... description) {
        spec.name(name).usageMessage().sortOptions(false).description(description);
    }

    /** The command, with a {@code Serve} behind it. */
    static CommandSpec command() {
        return new Serve(
                        "serve",
                        "Serves a directory over HTTP, or what a sirocco.toml says, or else a"
                                + " welcome site with live endpoints.",
                        "SIGTERM and Ctrl-C let running requests end first; so does SIGHUP, which"
                                + " reloads instead where there is a configuration file.",
                        "")
                .spec;
    }

    static OptionSpec.Builder option(String name, String value, Class<?> type) {
        return OptionSpec.builder(name).paramLabel(value).arity("1").type(type);
    }

    @Override
    public final Integer call() throws IOException {
        try {
            return Serving.run(source(), spec.commandLine().getOut());
        } catch (InvalidConfiguration invalid) {
            spec.commandLine().getErr().print(invalid.getMessage());
            spec.commandLine().getErr().flush();
            return ExitCode.USAGE;
        }
    }

    /** What is to be served; what is wrong with the options is said in the user's words. */
    Source source() {
        var overrides =
                new Overrides(
                        given(directory, Path.class).map(this::existing),
                        given(host, String.class).map(this::known),
                        port(),
                        given(loops, Integer.class).map(n -> within("--loops", n, 1, MOST_LOOPS)),
                        given(transport, TransportKind.class),
                        given(idle, Duration.class),
                        given(selfSigned, Boolean.class).orElse(false));
        return new Source(file(), overrides);
    }

    static <T> Optional<T> given(ArgSpec argument, Class<T> type) {
        return Optional.ofNullable(type.cast(argument.getValue()));
    }

    final Optional<Integer> port() {
        return given(port, Integer.class).map(n -> within("--port", n, 0, 65_535));
    }

    private Optional<Path> file() {
        Optional<Path> named = given(config, Path.class);
        boolean usual =
                named.isEmpty() && directory.getValue() == null && Files.isRegularFile(USUAL);
        return usual ? Optional.of(USUAL) : named;
    }

    private Path existing(Path asked) {
        if (!Files.exists(asked)) throw wrong("there is no directory '" + asked + "'");
        if (!Files.isDirectory(asked)) throw wrong("'" + asked + "' is not a directory");
        if (!Files.isReadable(asked)) throw wrong("the directory '" + asked + "' is not readable");
        return asked
                .toAbsolutePath(); // symbolic links stay, so that a site may be swapped behind one
    }

    private String known(String name) {
        if (name.isBlank()) throw wrong("--host is empty");
        try {
            InetAddress.getByName(name);
            return name;
        } catch (UnknownHostException unknown) {
            throw wrong("--host '" + name + "' is no address and no known name");
        }
    }

    int within(String option, int value, int least, int most) {
        if (value >= least && value <= most) return value;
        throw wrong("%s must be from %d to %d, not %d".formatted(option, least, most, value));
    }

    ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
