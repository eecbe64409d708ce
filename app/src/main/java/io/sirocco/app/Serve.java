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
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sirocco serve}: reads and checks its options, then leaves the work to {@link Serving}. */
@Command(
        name = "serve",
        description = {
            "Serves a directory over HTTP, or what a sirocco.toml says, or else a welcome site with"
                    + " live endpoints.",
            "SIGTERM and Ctrl-C let running requests end first; SIGHUP reloads.",
            ""
        },
        sortOptions = false)
final class Serve implements Callable<Integer> {

    /** More loops than this help no machine that we know of; a larger number is a slip. */
    private static final int MOST_LOOPS = 1024;

    private static final Path USUAL = Path.of("sirocco.toml");

    @Spec private CommandSpec spec;

    @Parameters(
            paramLabel = "DIR",
            arity = "0..1",
            description = "The directory to serve; without it, the bundled welcome site.")
    private Path directory;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = {
                "What to serve and how: a sirocco.toml. 'sirocco check --template' prints one that"
                        + " explains itself. Options given here go before the file's.",
                "(default: sirocco.toml in the working directory, if there is one and no DIR)"
            })
    private Path config;

    @Option(
            names = "--port",
            paramLabel = "N",
            description = {
                "The port to listen on; 0 lets the system choose a free one.",
                "(default: 8080)"
            })
    private Integer port;

    @Option(
            names = "--host",
            paramLabel = "H",
            description = {
                "The address or name to listen on. 0.0.0.0 or :: opens the server to the network.",
                "(default: 127.0.0.1, this machine only)"
            })
    private String host;

    @Option(
            names = "--tls-self-signed",
            description = {
                "HTTPS with a certificate for localhost, made at the first start; browsers warn of"
                        + " it."
            })
    private boolean selfSigned;

    @Option(
            names = "--loops",
            paramLabel = "N",
            description = "How many event loops, one thread each. (default: one per core)")
    private Integer loops;

    @Option(
            names = "--transport",
            paramLabel = "T",
            converter = TransportWord.class,
            description = {
                "How to talk to the kernel: auto, io_uring or nio. auto takes io_uring where the"
                        + " system allows it.",
                "(default: auto)"
            })
    private TransportKind transport;

    @Option(
            names = "--idle",
            paramLabel = "TIME",
            converter = TimeWord.class,
            description = {
                "How long a connection may be without a request: 90s, 5m; 0s is for ever.",
                "(default: 75s)"
            })
    private Duration idle;

    @Override
    public Integer call() throws IOException {
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
                        Optional.ofNullable(directory).map(this::existing),
                        Optional.ofNullable(host).map(this::known),
                        Optional.ofNullable(port).map(n -> within("--port", n, 0, 65_535)),
                        Optional.ofNullable(loops).map(n -> within("--loops", n, 1, MOST_LOOPS)),
                        Optional.ofNullable(transport),
                        Optional.ofNullable(idle),
                        selfSigned);
        return new Source(file(), overrides);
    }

    private Optional<Path> file() {
        if (config != null) return Optional.of(config);
        return directory == null && Files.isRegularFile(USUAL)
                ? Optional.of(USUAL)
                : Optional.empty();
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

    private int within(String option, int value, int least, int most) {
        if (value >= least && value <= most) return value;
        throw wrong("%s must be from %d to %d, not %d".formatted(option, least, most, value));
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
