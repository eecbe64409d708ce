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
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;

/**
 * {@code sirocco serve}: reads and checks its options, then starts {@link Serving}.
 *
 * <p>Its options are objects rather than annotated fields, because reading annotations would take
 * most of the start-up time.
 */
class Serve implements Callable<Integer> {

    /** The maximum number of event loops. */
    private static final int MAX_LOOPS = 1024;

    private static final Path USUAL = Path.of("sirocco.toml");

    private final PositionalParamSpec directory =
            PositionalParamSpec.builder()
                    .paramLabel("DIR")
                    .arity("0..1")
                    .type(Path.class)
                    .description("The directory to serve. (default: a welcome page)")
                    .build();

    private final OptionSpec listing =
            OptionSpec.builder("--listing")
                    .description(
                            "List the files of a directory without an index page. Anyone who can"
                                    + " connect sees their names.")
                    .build();

    private final OptionSpec config =
            option("--config", "FILE", Path.class)
                    .description(
                            "The configuration file. 'sirocco check --template' prints one with"
                                    + " every option. Options of the command line override it.",
                            "(default: sirocco.toml in the working directory, if it exists and"
                                    + " DIR is not given)")
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
                            "The address or name to listen on; 0.0.0.0 or :: for all addresses of"
                                    + " the machine.",
                            "(default: 127.0.0.1, this machine only)")
                    .build();

    private final OptionSpec selfSigned =
            OptionSpec.builder("--tls-self-signed")
                    .description(
                            "Use HTTPS with a certificate for localhost, created at the first"
                                    + " start. Browsers warn about it.")
                    .build();

    private final OptionSpec loops =
            option("--loops", "N", Integer.class)
                    .description(
                            "The number of event loops, one thread each. (default: one per core)")
                    .build();

    private final OptionSpec transport =
            option("--transport", "T", TransportKind.class)
                    .converters(new TransportWord())
                    .description(
                            "The I/O interface of the kernel: auto, io_uring, epoll or nio. auto"
                                    + " selects the first of them that the system allows.",
                            "(default: auto)")
                    .build();

    private final OptionSpec idle =
            option("--idle", "TIME", Duration.class)
                    .converters(new TimeWord())
                    .description(
                            "How long a keep-alive connection may be idle, such as 90s or 5m; 0s:"
                                    + " no limit.",
                            "(default: 75s)")
                    .build();

    final CommandSpec spec =
            CommandSpec.wrapWithoutInspection(this, Main.FACTORY)
                    .addOption(port)
                    .addOption(host)
                    .addOption(selfSigned)
                    .addOption(loops)
                    .addOption(transport)
                    .addOption(idle);

    /** Creates a command with DIR and {@code --config}. */
    Serve(String name, String... description) {
        this(name, List.of(description));
        spec.addPositional(directory).addOption(config).addOption(listing);
    }

    /** Creates a command without them. */
    Serve(String name, List<String> description) {
        spec.name(name)
                .usageMessage()
                .sortOptions(false)
                .description(description.toArray(String[]::new));
    }

    /** Returns the command. */
    static CommandSpec command() {
        return new Serve(
                        "serve",
                        "Serves a directory over HTTP, the sites of a configuration file, or else a"
                                + " welcome page with demo endpoints.",
                        "SIGTERM and Ctrl-C stop the server after the requests in progress. SIGHUP"
                                + " reloads the configuration file; without one, it stops the"
                                + " server.",
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

    /** Returns the configuration source; a wrong option is explained to the user. */
    Source source() {
        var overrides =
                new Overrides(
                        given(directory, Path.class).map(this::existing),
                        given(host, String.class).map(this::known),
                        port(),
                        given(loops, Integer.class).map(n -> within("--loops", n, 1, MAX_LOOPS)),
                        given(transport, TransportKind.class),
                        given(idle, Duration.class),
                        given(selfSigned, Boolean.class).orElse(false));
        boolean lists = given(listing, Boolean.class).orElse(false);
        if (lists && overrides.directory().isEmpty()) {
            throw wrong("--listing needs DIR; in a file, set listing = true in [[site]]");
        }
        return new Source(file(), lists ? overrides.withListing() : overrides);
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
        if (!Files.exists(asked)) throw wrong("the directory '" + asked + "' does not exist");
        if (!Files.isDirectory(asked)) throw wrong("'" + asked + "' is not a directory");
        if (!Files.isReadable(asked)) throw wrong("the directory '" + asked + "' cannot be read");
        return asked
                .toAbsolutePath(); // symbolic links stay, so that a site can be swapped by changing
        // one
    }

    private String known(String name) {
        if (name.isBlank()) throw wrong("--host is empty");
        try {
            InetAddress.getByName(name);
            return name;
        } catch (UnknownHostException unknown) {
            throw wrong("--host '" + name + "' is neither an address nor a known name");
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
