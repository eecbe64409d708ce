// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.home;

import io.sirocco.home.CluClient;
import io.sirocco.home.project.Controller;
import io.sirocco.home.project.Project;
import io.sirocco.home.project.ProjectFile;
import io.sirocco.home.protocol.Bytes;
import io.sirocco.home.protocol.CipherKey;
import io.sirocco.net.Loops;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The options of a tool that talks to one controller, and the connection that they describe. */
final class ToolOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--address",
            paramLabel = "HOST[:PORT]",
            description =
                    "The address of the controller; the port is 1234. (default: that of the only"
                            + " controller of the project)")
    private String address;

    @Option(names = "--keys", paramLabel = "FILE", description = "The keys.json of the controller.")
    private Path keys;

    @Option(
            names = "--project",
            paramLabel = "FILE",
            description = "The project of Object Manager (.omp), instead of --keys.")
    private Path project;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "9",
            description = "How long to wait for a response. (default: ${DEFAULT-VALUE})")
    private int timeout;

    /**
     * A connection. Any thread.
     *
     * @param keyFile the file that the key comes from
     * @param timeout how long to wait for a response
     */
    record Connection(
            Loops loops,
            CluClient client,
            InetSocketAddress controller,
            Inet4Address local,
            Path keyFile,
            Duration timeout)
            implements AutoCloseable {
        /**
         * Waits for a result of the client.
         *
         * @throws IOException if there is none; its message is for people
         */
        <T> T await(CompletableFuture<T> future) throws IOException, InterruptedException {
            try {
                return ToolOptions.await(future);
            } catch (IOException e) {
                if (e.getCause() instanceof TimeoutException) {
                    throw new IOException(
                            e.getMessage()
                                    + "; check the address, and that the key in "
                                    + keyFile
                                    + " is that of this controller",
                            e.getCause());
                }
                throw e;
            }
        }

        @Override
        public void close() {
            client.close();
            loops.close();
        }
    }

    /** Opens a client of the controller. */
    Connection connect() throws IOException {
        if ((keys == null) == (project == null)) {
            throw wrong("give the key by --keys or by --project");
        }
        if (timeout < 1 || timeout > 3_600) {
            throw wrong("--timeout must be from 1 to 3600, not " + timeout);
        }
        Optional<Project> opened =
                project == null ? Optional.empty() : Optional.of(ProjectFile.read(project));
        CipherKey key = opened.isPresent() ? key(opened.get()) : key(keys);
        InetSocketAddress controller = address != null ? parse(address) : addressOf(opened);
        Inet4Address local = localAddress(controller);
        Loops loops = Loops.start(settings -> settings.loops(1).name("sirocco-home-tool"));
        try {
            var wait = Duration.ofSeconds(timeout);
            CluClient client = CluClient.open(loops, local, controller, key, wait);
            return new Connection(
                    loops, client, controller, local, keys == null ? project : keys, wait);
        } catch (IOException | RuntimeException e) {
            loops.close();
            throw e;
        }
    }

    /**
     * Waits for a result.
     *
     * @throws IOException if there is none; its message is for people
     */
    static <T> T await(CompletableFuture<T> future) throws IOException, InterruptedException {
        try {
            return future.get();
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            throw new IOException(
                    cause.getMessage() == null ? cause.toString() : cause.getMessage(), cause);
        }
    }

    private static CipherKey key(Project project) {
        return new CipherKey(Bytes.of(project.key().key()), Bytes.of(project.key().iv()));
    }

    /** Reads the project key of a {@code keys.json}. */
    static CipherKey key(Path file) throws IOException {
        try {
            if (Files.size(file) > 64 << 10) {
                throw new IOException(file + " is too large for a keys.json");
            }
            JsonNode all = JsonMapper.shared().readTree(Files.readAllBytes(file));
            return new CipherKey(bytes(all, "key"), bytes(all, "iv"));
        } catch (NoSuchFileException e) {
            throw new IOException("there is no file " + file, e);
        } catch (JacksonException | IllegalArgumentException e) { // whose message may quote a key
            throw new IOException(
                    file + " is no keys.json: it needs \"key\" and \"iv\", 16 bytes in Base64");
        }
    }

    private static Bytes bytes(JsonNode all, String name) {
        return Bytes.of(Base64.getDecoder().decode(all.path(name).asString("")));
    }

    private InetSocketAddress addressOf(Optional<Project> opened) {
        List<Inet4Address> known =
                opened.stream()
                        .flatMap(each -> each.controllers().stream())
                        .map(Controller::address)
                        .flatMap(Optional::stream)
                        .distinct()
                        .toList();
        if (known.size() == 1) {
            return new InetSocketAddress(known.getFirst(), CluClient.PORT);
        }
        throw wrong(
                known.isEmpty()
                        ? "give the address of the controller by --address"
                        : "the project has several controllers: choose one by --address, of "
                                + String.join(
                                        ", ",
                                        known.stream().map(Inet4Address::getHostAddress).toList()));
    }

    private InetSocketAddress parse(String text) {
        int colon = text.lastIndexOf(':');
        String host = colon < 0 ? text : text.substring(0, colon);
        int port = CluClient.PORT;
        if (colon >= 0) {
            String word = text.substring(colon + 1);
            port = word.matches("[0-9]{1,5}") ? Integer.parseInt(word) : 0;
            if (port < 1 || port > 65_535) {
                throw wrong("--address: '" + word + "' is not a port from 1 to 65535");
            }
        }
        try {
            for (InetAddress each : InetAddress.getAllByName(host)) {
                if (each instanceof Inet4Address && !host.isEmpty()) {
                    return new InetSocketAddress(each, port);
                }
            }
        } catch (IOException e) {
            // as below
        }
        throw wrong("--address: there is no IPv4 address of '" + host + "'");
    }

    /** Returns the address from which this machine reaches another. */
    private static Inet4Address localAddress(InetSocketAddress controller) throws IOException {
        try (var socket = new DatagramSocket()) {
            socket.connect(controller); // sends nothing
            if (socket.getLocalAddress() instanceof Inet4Address local) {
                return local;
            }
        } catch (java.io.UncheckedIOException e) {
            throw e.getCause();
        }
        throw new IOException(
                "this machine has no IPv4 address to reach "
                        + controller.getAddress().getHostAddress());
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
