// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.home;

import io.sirocco.app.config.Address;
import io.sirocco.app.config.ConfigError;
import io.sirocco.bench.command.TransportWord;
import io.sirocco.home.Clu;
import io.sirocco.home.file.AtomicFile;
import io.sirocco.home.lua.ReportForm;
import io.sirocco.home.mqtt.MqttSettings;
import io.sirocco.net.TransportKind;
import java.io.Console;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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
        sortOptions = false,
        subcommands = {
            DiscoverCommand.class,
            AliveCommand.class,
            ExecuteCommand.class,
            FetchCommand.class,
            InterfacesCommand.class
        })
public final class HomeCommand implements Callable<Integer> {
    private static final long ADDRESS_CHECK = 2; // seconds
    private static final int MISSING_CHECKS = 2; // an address that DHCP renews may be gone for one

    private final Consumer<Runnable> onStop;
    private final CountDownLatch stopped = new CountDownLatch(1);

    @Spec private CommandSpec spec;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description =
                    "The folder of the controller: keys, scripts, stored values. It is created."
                            + " (default: runtime; with --demo a temporary folder)")
    private Path directory;

    @Option(
            names = "--interface",
            paramLabel = "NAME",
            description =
                    "The network interface to serve, or an IPv4 address of this machine. (default:"
                            + " the only private address; with --demo 127.0.0.1)")
    private String on;

    @Option(
            names = "--port",
            paramLabel = "N",
            description = "The UDP port; 0 lets the system choose. (default: 1234; with --demo 0)")
    private Integer port;

    @Option(
            names = "--tftp-port",
            paramLabel = "N",
            description =
                    "The UDP port of file transfers, which start when a client asks for them."
                            + " (default: 69; with --demo 0)")
    private Integer tftpPort;

    @Option(
            names = "--fortified",
            description =
                    "Accept requests under the project key only, once the controller has one, and"
                            + " send nothing to anyone else. Object Manager cannot adopt it then.")
    private boolean fortified;

    @Option(
            names = "--fortified-tftp",
            description =
                    "With --fortified, serve files by TFTP as well. TFTP has no keys: a stranger in"
                            + " the network could replace scripts. Use it for as long as Object"
                            + " Manager sends files.")
    private boolean fortifiedTftp;

    @Option(
            names = "--admin",
            paramLabel = "ADDRESS",
            defaultValue = "127.0.0.1:9180",
            description =
                    "The address of the web page; 'none' disables it. An address that is open to"
                            + " the network needs --admin-token. (default: ${DEFAULT-VALUE})")
    private String admin;

    @Option(
            names = "--admin-token",
            paramLabel = "FILE",
            description = "The file with the token of the web page, created if it is missing.")
    private Path adminToken;

    @Option(names = "--demo", description = "Run a demo: simulated lamps, blinds and a thermostat.")
    private boolean demo;

    @Option(
            names = "--mqtt",
            paramLabel = "URL",
            description =
                    "The MQTT broker of the demo, which announces its devices there. Example:"
                            + " tcp://127.0.0.1:1883")
    private String mqtt;

    @Option(
            names = "--quoted-reports",
            description =
                    "Put strings into quotes in reports to registered clients, as real controllers"
                            + " do and pygrenton expects. Object Manager reads both forms.")
    private boolean quotedReports;

    @Option(
            names = "--transport",
            paramLabel = "T",
            defaultValue = "auto",
            converter = TransportWord.class,
            description = "auto, io_uring, epoll or nio. (default: ${DEFAULT-VALUE})")
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
        int udp = port("--port", port, 1234);
        int tftp = port("--tftp-port", tftpPort, 69);
        Optional<InetSocketAddress> page = page();
        if (mqtt != null && !demo) {
            throw wrong(
                    "--mqtt is for the demo: scripts set MQTTUrl, feature 20 of the controller");
        }
        if (mqtt != null) {
            try {
                MqttSettings.of(mqtt, "", "", Path.of(""));
            } catch (IllegalArgumentException e) {
                throw wrong("--mqtt: " + e.getMessage());
            }
        }
        onStop.accept(stopped::countDown);
        if (!awaitAddress()) {
            return 0;
        }
        LocalAddress local = LocalAddress.of(demo && on == null ? "127.0.0.1" : on);
        BoundPorts.requireFree(local.address(), udp);
        Path folder = folder();
        try (FolderLock _ = FolderLock.of(folder)) {
            if (demo) {
                Demo.write(folder, local.address(), mqtt == null ? "" : mqtt);
            }
            serve(local, udp, tftp, folder, page);
        } finally {
            if (demo && directory == null) {
                Demo.delete(folder);
            }
        }
        return 0;
    }

    /**
     * Waits until the interface has an IPv4 address, as at the start of a machine.
     *
     * @return false if the command is to stop
     */
    private boolean awaitAddress() throws IOException, InterruptedException {
        for (boolean isFirst = true; LocalAddress.isExpected(on); isFirst = false) {
            if (isFirst) {
                PrintWriter out = spec.commandLine().getOut();
                out.printf("%s has no IPv4 address yet: waiting for one%n", on);
                out.flush();
            }
            if (stopped.await(1, TimeUnit.SECONDS)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns when the command is to stop.
     *
     * @throws IOException if this machine has lost the address: sockets on it receive nothing
     */
    private void awaitStop(LocalAddress local) throws IOException, InterruptedException {
        int missing = 0;
        while (!stopped.await(ADDRESS_CHECK, TimeUnit.SECONDS)) {
            missing = local.isPresent() ? 0 : missing + 1;
            if (missing == MISSING_CHECKS) {
                throw new IOException(
                        "%s is no address of this machine any more. The controller ends: start it"
                                        .formatted(local.address().getHostAddress())
                                + " again for the new address of "
                                + local.on().getName()
                                + ", or let systemd do so (Restart=on-failure)");
            }
        }
    }

    private void serve(
            LocalAddress local, int udp, int tftp, Path folder, Optional<InetSocketAddress> page)
            throws IOException, InterruptedException {
        try (Clu clu =
                        Clu.start(
                                settings ->
                                        settings.directory(folder)
                                                .address(local.address())
                                                .port(udp)
                                                .tftpPort(tftp)
                                                .fortified(fortified)
                                                .fortifiedTftp(fortifiedTftp)
                                                .reports(
                                                        quotedReports
                                                                ? ReportForm.QUOTED
                                                                : ReportForm.PLAIN)
                                                .transport(transport)
                                                .version(version()));
                HomePage shown = page.isPresent() ? show(page.get(), clu) : null) {
            PrintWriter out = spec.commandLine().getOut();
            out.printf(
                    "Controller %s on udp://%s:%d (%s), PIN %s%n",
                    HexFormat.of().toHexDigits(clu.serial()),
                    local.address().getHostAddress(),
                    clu.address().getPort(),
                    local.on().getName(),
                    pin(clu, folder));
            if (shown != null) {
                out.printf("Page http://%s/home%n", text(shown.address()));
            }
            if (demo) {
                out.printf("Folder %s%n", folder);
            }
            out.flush();
            awaitStop(local);
        }
    }

    /** Returns the PIN if the output is a terminal, else where it is: output ends up in logs. */
    private static String pin(Clu clu, Path folder) {
        Console console = System.console();
        if (console != null && console.isTerminal()) {
            return clu.pin();
        }
        Path file = folder.resolve("pin.txt");
        try {
            AtomicFile.writePrivate(file, (clu.pin() + "\n").getBytes(StandardCharsets.US_ASCII));
            return "in " + file;
        } catch (IOException e) {
            return "on the page: " + e.getMessage();
        }
    }

    private static String version() {
        String own = HomeCommand.class.getPackage().getImplementationVersion();
        return own == null ? "0" : own;
    }

    private HomePage show(InetSocketAddress address, Clu clu) throws IOException {
        try {
            return HomePage.start(
                    address, Optional.ofNullable(adminToken), clu, new HomeState.Facts(demo));
        } catch (UncheckedIOException e) {
            throw new IOException(
                    e.getCause().getMessage() + "; choose another by --admin, or --admin none", e);
        }
    }

    private Path folder() throws IOException {
        if (directory != null) {
            return directory;
        }
        return demo ? Files.createTempDirectory("sirocco-home-demo-") : Path.of("runtime");
    }

    private static String text(InetSocketAddress address) {
        String host = address.getAddress().getHostAddress();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
    }

    private Optional<InetSocketAddress> page() {
        if (admin.equals("none")) {
            return Optional.empty();
        }
        String form = "; write HOST:PORT, for example 127.0.0.1:9180, or none";
        try {
            if (Address.parse(admin, Path.of("")).resolved() instanceof InetSocketAddress address) {
                return Optional.of(address);
            }
        } catch (ConfigError e) {
            throw wrong("--admin " + e.getMessage() + form);
        } catch (UnknownHostException e) {
            throw wrong("--admin: the host of \"" + admin + "\" is unknown" + form);
        }
        throw wrong("--admin cannot be a file: \"" + admin + "\"" + form);
    }

    private int port(String option, Integer number, int usual) {
        if (number == null) {
            return demo ? 0 : usual;
        }
        if (number < 0 || number > 65_535) {
            throw wrong(option + " must be from 0 to 65535, not " + number);
        }
        return number;
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
