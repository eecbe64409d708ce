// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.bench.command.TimeWord;
import io.sirocco.bench.command.TransportWord;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sirocco serve}: reads and checks its options, then leaves the work to {@link Serving}. */
@Command(
        name = "serve",
        description = {
            "Serves a directory over HTTP, or without DIR a welcome site with live endpoints.",
            "SIGTERM and Ctrl-C let running requests end first.",
            ""
        },
        sortOptions = false)
final class Serve implements Callable<Integer> {

    /** More loops than this help no machine that we know of; a larger number is a slip. */
    private static final int MOST_LOOPS = 1024;

    @Spec private CommandSpec spec;

    @Parameters(
            paramLabel = "DIR",
            arity = "0..1",
            description = "The directory to serve; without it, the bundled welcome site.")
    private Path directory;

    @Option(
            names = "--port",
            paramLabel = "N",
            defaultValue = "8080",
            description = {
                "The port to listen on; 0 lets the system choose a free one.",
                "(default: ${DEFAULT-VALUE})"
            })
    private int port;

    @Option(
            names = "--host",
            paramLabel = "H",
            defaultValue = "127.0.0.1",
            description = {
                "The address or name to listen on. 0.0.0.0 or :: opens the server to the network.",
                "(default: ${DEFAULT-VALUE}, this machine only)"
            })
    private String host;

    @Option(
            names = "--loops",
            paramLabel = "N",
            description = "How many event loops, one thread each. (default: one per core)")
    private Integer loops;

    @Option(
            names = "--transport",
            paramLabel = "T",
            defaultValue = "auto",
            converter = TransportWord.class,
            description = {
                "How to talk to the kernel: auto, io_uring or nio. auto takes io_uring where the"
                        + " system allows it.",
                "(default: ${DEFAULT-VALUE})"
            })
    private TransportKind transport;

    @Option(
            names = "--idle",
            paramLabel = "TIME",
            defaultValue = "75s",
            converter = TimeWord.class,
            description = {
                "How long a connection may be without a request: 90s, 5m; 0s is for ever.",
                "(default: ${DEFAULT-VALUE})"
            })
    private Duration idle;

    @Override
    public Integer call() throws IOException {
        return Serving.run(options(), spec.commandLine().getOut());
    }

    /** The options, checked; what is wrong with them is said in the user's words. */
    ServeOptions options() {
        return new ServeOptions(
                Optional.ofNullable(directory).map(this::existing),
                new InetSocketAddress(resolved(host), within("--port", port, 0, 65_535)),
                loops == null
                        ? Runtime.getRuntime().availableProcessors()
                        : within("--loops", loops, 1, MOST_LOOPS),
                transport,
                idle);
    }

    private Path existing(Path asked) {
        if (!Files.exists(asked)) throw wrong("there is no directory '" + asked + "'");
        if (!Files.isDirectory(asked)) throw wrong("'" + asked + "' is not a directory");
        if (!Files.isReadable(asked)) throw wrong("the directory '" + asked + "' is not readable");
        return asked
                .toAbsolutePath(); // symbolic links stay, so that a site may be swapped behind one
    }

    private InetAddress resolved(String name) {
        if (name.isBlank()) throw wrong("--host is empty");
        try {
            return InetAddress.getByName(name);
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
