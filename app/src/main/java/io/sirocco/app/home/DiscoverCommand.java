// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.home;

import io.sirocco.home.CluDiscovery;
import io.sirocco.home.CluDiscovery.Device;
import io.sirocco.home.protocol.CipherKey;
import io.sirocco.net.Loops;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sirocco home discover}: finds the controllers of a network. */
@Command(
        name = "discover",
        description = {
            "Finds the controllers of a network by a broadcast, and prints address, serial number"
                    + " and MAC address of each. The exit status is 1 if there is none.",
            ""
        },
        sortOptions = false)
final class DiscoverCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Option(
            names = "--interface",
            paramLabel = "NAME",
            description =
                    "The network interface, or an IPv4 address of this machine. (default: the only"
                            + " private address)")
    private String on;

    @Option(
            names = "--port",
            paramLabel = "N",
            defaultValue = "1234",
            description = "The UDP port of the controllers. (default: ${DEFAULT-VALUE})")
    private int port;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "1000",
            description = "End when so many have responded. (default: ${DEFAULT-VALUE})")
    private int limit;

    @Option(
            names = "--wait",
            paramLabel = "SECONDS",
            defaultValue = "3",
            description = "How long to collect responses. (default: ${DEFAULT-VALUE})")
    private int seconds;

    @Override
    public Integer call() throws IOException, InterruptedException {
        require("--port", port, 65_535);
        require("--limit", limit, 1_000);
        require("--wait", seconds, 600);
        LocalAddress local = LocalAddress.of(on);
        InetAddress broadcast = local.broadcast();
        if (broadcast == null) {
            broadcast =
                    InetAddress.ofLiteral(
                            local.address().isLoopbackAddress()
                                    ? "127.255.255.255"
                                    : "255.255.255.255");
        }
        try (Loops loops = Loops.start(settings -> settings.loops(1).name("sirocco-home-tool"))) {
            List<Device> found =
                    ToolOptions.await(
                            CluDiscovery.discover(
                                    loops,
                                    local.address(),
                                    new InetSocketAddress(broadcast, port),
                                    CipherKey.random(new SecureRandom()),
                                    Duration.ofSeconds(seconds),
                                    limit));
            found.forEach(this::print);
            if (found.isEmpty()) {
                throw new IOException(
                        "no controller on %s has responded within %d s"
                                .formatted(local.on().getName(), seconds));
            }
        }
        return 0;
    }

    private void print(Device device) {
        PrintWriter out = spec.commandLine().getOut();
        byte[] mac = new byte[6];
        for (int i = 0; i < mac.length; i++) {
            mac[i] = (byte) (device.mac() >> 8 * (mac.length - 1 - i));
        }
        out.printf(
                "%s  serial %s  MAC %s%n",
                device.address().getAddress().getHostAddress(),
                HexFormat.of().toHexDigits(device.serial()),
                HexFormat.ofDelimiter(":").formatHex(mac));
        out.flush();
    }

    private void require(String option, int number, int most) {
        if (number < 1 || number > most) {
            throw new ParameterException(
                    spec.commandLine(),
                    "%s must be from 1 to %d, not %d".formatted(option, most, number));
        }
    }
}
