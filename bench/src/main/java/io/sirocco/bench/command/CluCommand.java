// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

import io.sirocco.bench.clu.CluBench;
import io.sirocco.bench.clu.CluPlan;
import io.sirocco.bench.clu.CluResult;
import io.sirocco.bench.report.CluJson;
import io.sirocco.bench.report.CluTable;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sirocco bench clu}: load on a controller of a Grenton smart home. */
@Command(
        name = "clu",
        description = {
            "Sends scripts to a controller (CLU) of a Grenton smart home over UDP, from clients that each wait"
                    + " for a response before they send the next, and measures rate, latency and the CPU"
                    + " time of the controller.",
            ""
        },
        sortOptions = false)
final class CluCommand implements Callable<Integer> {
    private static final int PORT = 1234;

    @Spec private CommandSpec spec;

    @Parameters(paramLabel = "HOST[:PORT]", description = "The controller. (default port: 1234)")
    private String host;

    @Option(
            names = "--keys",
            paramLabel = "FILE",
            required = true,
            description = "Its keys.json, of which the project key is used.")
    private Path keys;

    @Option(
            names = "--script",
            paramLabel = "LUA",
            defaultValue = "checkAlive()",
            description = "The script of each request. (default: ${DEFAULT-VALUE})")
    private String script;

    @Option(
            names = "--expect",
            paramLabel = "VALUE",
            description = "The value of the script. (default: that of the first response)")
    private String expected;

    @Option(
            names = {"-c", "--clients"},
            paramLabel = "N",
            defaultValue = "64",
            description = "Clients, each with a socket of its own. (default: ${DEFAULT-VALUE})")
    private int clients;

    @Option(
            names = {"-d", "--duration"},
            paramLabel = "TIME",
            converter = TimeWord.class,
            defaultValue = "10s",
            description = "How long to measure: 500ms, 10s, 2m. (default: ${DEFAULT-VALUE})")
    private Duration duration;

    @Option(
            names = "--times",
            paramLabel = "N",
            defaultValue = "1",
            description = "How often to measure. (default: ${DEFAULT-VALUE})")
    private int times;

    @Option(
            names = "--warm-up",
            paramLabel = "TIME",
            converter = TimeWord.class,
            defaultValue = "1s",
            description = "Do the same before measuring. (default: ${DEFAULT-VALUE})")
    private Duration warmUp;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = TimeWord.class,
            defaultValue = "1s",
            description = "A request without a response is lost then. (default: ${DEFAULT-VALUE})")
    private Duration timeout;

    @Option(
            names = "--transport",
            paramLabel = "NAME",
            converter = TransportWord.class,
            defaultValue = "auto",
            description = "auto, io_uring, epoll or nio. (default: ${DEFAULT-VALUE})")
    private TransportKind transport;

    @Mixin private final Watching watching = new Watching();
    @Mixin private final Output output = new Output();

    @Override
    public Integer call() throws IOException, InterruptedException {
        CluPlan plan = plan();
        CluResult result;
        try (var line = new ProgressLine(spec.commandLine().getErr())) {
            result = CluBench.run(plan, run -> line.show(CluTable.line(run)));
        }
        output.print(() -> CluTable.of(result), () -> CluJson.write(result));
        return result.clean() ? 0 : 1;
    }

    private CluPlan plan() throws IOException {
        CluKeys key = CluKeys.read(keys);
        try {
            return new CluPlan(
                    address(),
                    key.key(),
                    key.iv(),
                    script,
                    Optional.ofNullable(expected),
                    clients,
                    duration,
                    warmUp,
                    times,
                    timeout,
                    watching.pid(),
                    transport);
        } catch (IllegalArgumentException e) {
            throw wrong(e.getMessage());
        }
    }

    private InetSocketAddress address() {
        int colon = host.indexOf(':');
        String name = colon < 0 ? host : host.substring(0, colon);
        try {
            int port = colon < 0 ? PORT : Integer.parseInt(host.substring(colon + 1));
            return new InetSocketAddress(InetAddress.getByName(name), port);
        } catch (NumberFormatException e) {
            throw wrong("the port in '" + host + "' is not a number");
        } catch (UnknownHostException e) {
            throw wrong("there is no host " + name);
        }
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
