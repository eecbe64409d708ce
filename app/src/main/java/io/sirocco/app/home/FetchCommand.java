// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.home;

import io.sirocco.app.home.ToolOptions.Connection;
import io.sirocco.home.file.AtomicFile;
import io.sirocco.home.tftp.Mode;
import io.sirocco.home.tftp.TftpClient;
import io.sirocco.home.tftp.TftpError;
import io.sirocco.home.tftp.TftpException;
import io.sirocco.home.tftp.TftpSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sirocco home fetch}: copies the scripts of a controller. */
@Command(
        name = "fetch",
        description = {
            "Copies CONFIG.JSON and MAIN, OM, USER, INIT and EMERGNCY.LUA of a controller into a"
                    + " folder. A file that the controller does not have is left out. Controllers do"
                    + " not list their files, so other scripts are not copied.",
            ""
        },
        sortOptions = false)
final class FetchCommand implements Callable<Integer> {
    private static final List<String> FILES =
            List.of("CONFIG.JSON", "MAIN.LUA", "OM.LUA", "USER.LUA", "INIT.LUA", "EMERGNCY.LUA");

    private static final int TRIES = 3;
    private static final int STOP_SECONDS = 2;

    @Spec private CommandSpec spec;

    @Mixin private ToolOptions options;

    @Option(
            names = "--tftp-port",
            paramLabel = "N",
            defaultValue = "69",
            description = "The UDP port of file transfers. (default: ${DEFAULT-VALUE})")
    private int port;

    @Parameters(
            arity = "0..1",
            paramLabel = "DIR",
            description = "The folder, which is created. (default: clu-ADDRESS)")
    private Path directory;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (port < 1 || port > 65_535) {
            throw new ParameterException(
                    spec.commandLine(), "--tftp-port must be from 1 to 65535, not " + port);
        }
        try (Connection connection = options.connect()) {
            String host = connection.controller().getAddress().getHostAddress();
            Path folder = directory != null ? directory : Path.of("clu-" + host);
            Files.createDirectories(folder);
            connection.await(connection.client().startTftp());
            try {
                copyAll(connection, folder);
            } finally {
                stop(connection);
            }
        }
        return 0;
    }

    private void copyAll(Connection connection, Path folder)
            throws IOException, InterruptedException {
        var server = new InetSocketAddress(connection.controller().getAddress(), port);
        TftpSettings settings =
                TftpSettings.DEFAULTS.retry(connection.timeout().dividedBy(TRIES), TRIES);
        var tftp = new TftpClient(connection.loops(), connection.local(), settings);
        int copied = 0;
        for (String file : FILES) {
            if (copy(tftp, server, file, folder, connection.timeout())) {
                copied++;
            }
        }
        if (copied == 0) {
            throw new IOException("the controller has none of " + String.join(", ", FILES));
        }
    }

    /** Stops the file transfers of the controller. Real controllers know no such request. */
    private void stop(Connection connection) throws InterruptedException {
        try {
            ToolOptions.await(
                    connection.client().stopTftp().orTimeout(STOP_SECONDS, TimeUnit.SECONDS));
        } catch (IOException e) {
            PrintWriter err = spec.commandLine().getErr();
            err.println("The controller serves its files by TFTP until its next reset.");
            err.flush();
        }
    }

    /** Returns whether the controller has the file. */
    private boolean copy(
            TftpClient tftp, InetSocketAddress server, String file, Path folder, Duration timeout)
            throws IOException, InterruptedException {
        byte[] content;
        try {
            content = ToolOptions.await(tftp.read(server, "a:\\" + file, Mode.OCTET));
        } catch (IOException e) {
            if (e.getCause() instanceof TftpException error) {
                if (error.error() == TftpError.FILE_NOT_FOUND) {
                    return false;
                }
                if (!error.isReceived()) {
                    throw new IOException(
                            "%s: no response from %s:%d (TFTP) within %d s; check --tftp-port, and whether a firewall drops UDP"
                                    .formatted(
                                            file,
                                            server.getAddress().getHostAddress(),
                                            port,
                                            timeout.toSeconds()),
                            e);
                }
            }
            throw new IOException(file + ": " + e.getMessage(), e);
        }
        AtomicFile.write(folder.resolve(file), content);
        PrintWriter out = spec.commandLine().getOut();
        out.printf("%s: %,d bytes%n", folder.resolve(file), content.length);
        out.flush();
        return true;
    }
}
