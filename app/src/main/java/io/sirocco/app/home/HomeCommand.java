// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.home;

import io.sirocco.bench.command.TransportWord;
import io.sirocco.home.Clu;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sirocco home}: runs a virtual controller of a Grenton smart home. */
@Command(
        name = "home",
        description = {
            "Runs a virtual controller (CLU) of a Grenton smart home, until SIGTERM or Ctrl-C. See"
                    + " docs/home.md.",
            ""
        },
        sortOptions = false)
public final class HomeCommand implements Callable<Integer> {
    private final Consumer<Runnable> onStop;

    @Spec private CommandSpec spec;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            defaultValue = "runtime",
            description =
                    "The folder of the controller: keys, scripts, stored values. It is created."
                            + " (default: ${DEFAULT-VALUE})")
    private Path directory;

    @Option(
            names = "--interface",
            paramLabel = "NAME",
            description =
                    "The network interface to serve, or an IPv4 address of this machine. (default:"
                            + " the only private address)")
    private String on;

    @Option(
            names = "--port",
            paramLabel = "N",
            defaultValue = "1234",
            description = "The UDP port; 0 lets the system choose. (default: ${DEFAULT-VALUE})")
    private int port;

    @Option(
            names = "--tftp-port",
            paramLabel = "N",
            defaultValue = "69",
            description =
                    "The UDP port of file transfers, which start when a client asks for them."
                            + " (default: ${DEFAULT-VALUE})")
    private int tftpPort;

    @Option(
            names = "--fortified",
            description =
                    "Accept requests under the project key only, once the controller has one, and"
                            + " send nothing to anyone else. Object Manager cannot adopt it then.")
    private boolean fortified;

    @Option(
            names = "--transport",
            paramLabel = "T",
            defaultValue = "auto",
            converter = TransportWord.class,
            description = "auto, io_uring or nio. (default: ${DEFAULT-VALUE})")
    private TransportKind transport;

    /**
     * Creates the command.
     *
     * @param onStop registers an action for SIGTERM and Ctrl-C
     */
    public HomeCommand(Consumer<Runnable> onStop) {
        this.onStop = onStop;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        requirePort("--port", port);
        requirePort("--tftp-port", tftpPort);
        LocalAddress local = LocalAddress.of(on);
        var stopped = new CountDownLatch(1);
        onStop.accept(stopped::countDown);
        try (Clu clu =
                Clu.start(
                        settings ->
                                settings.directory(directory)
                                        .address(local.address())
                                        .port(port)
                                        .tftpPort(tftpPort)
                                        .fortified(fortified)
                                        .transport(transport))) {
            PrintWriter out = spec.commandLine().getOut();
            out.printf(
                    "Controller %s on udp://%s:%d (%s), PIN %s%n",
                    HexFormat.of().toHexDigits(clu.serial()),
                    local.address().getHostAddress(),
                    clu.address().getPort(),
                    local.on().getName(),
                    clu.pin());
            out.flush();
            stopped.await();
        }
        return 0;
    }

    private void requirePort(String option, int number) {
        if (number < 0 || number > 65_535) {
            throw new ParameterException(
                    spec.commandLine(), option + " must be from 0 to 65535, not " + number);
        }
    }
}
