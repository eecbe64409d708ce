// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import io.sirocco.home.file.AtomicFile;
import io.sirocco.home.lua.LuaRuntime;
import io.sirocco.home.lua.LuaStatus;
import io.sirocco.home.lua.ReportClient;
import io.sirocco.home.lua.ScriptLog;
import io.sirocco.home.mqtt.MqttStatus;
import io.sirocco.home.object.StandardObjects;
import io.sirocco.home.project.ProjectException;
import io.sirocco.home.project.ProjectFile;
import io.sirocco.home.project.ProjectKey;
import io.sirocco.home.protocol.Bytes;
import io.sirocco.home.protocol.CipherKey;
import io.sirocco.home.tftp.TftpSettings;
import io.sirocco.net.Clock;
import io.sirocco.net.Loops;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A virtual controller (CLU) of a Grenton smart home: it runs the scripts that Object Manager has
 * uploaded, and serves clients over UDP.
 *
 * <p>Any thread; {@link #start} and {@link #close} block.
 */
public final class Clu implements AutoCloseable {
    private static final String KNOWN_PIN = "00000000"; // of the reference, and of its copies

    private final Loops loops;
    private final Identity identity;
    private final String pin;
    private final LuaRuntime scripts;
    private final CluServer server;
    private final FileTransfers transfers;
    private final RemoteClients clients;
    private final CluServices services;
    private final StandardObjects objects;
    private final CluObjects created;

    private Clu(
            Loops loops,
            Identity identity,
            String pin,
            LuaRuntime scripts,
            CluServer server,
            FileTransfers transfers,
            RemoteClients clients,
            CluServices services,
            StandardObjects objects,
            CluObjects created) {
        this.loops = loops;
        this.identity = identity;
        this.pin = pin;
        this.scripts = scripts;
        this.server = server;
        this.transfers = transfers;
        this.clients = clients;
        this.services = services;
        this.objects = objects;
        this.created = created;
    }

    /**
     * Starts a controller, and returns when it serves clients; its scripts may boot a little
     * longer. If its folder has a {@code project.omp}, its key is the project key until a client
     * sets another. If it is to be fortified and has no project key, it logs that it is open.
     *
     * @throws IOException if a file of its folder is damaged or cannot be written, or an address
     *     cannot be bound; the message says what to do
     */
    public static Clu start(Consumer<CluSettings> configure) throws IOException {
        var settings = new CluSettings();
        configure.accept(settings);
        Path directory = settings.directory;
        for (String folder : List.of("root/a", "root/p", "storage", "mqtt")) {
            AtomicFile.deleteRemains(AtomicFile.createFolder(directory.resolve(folder)));
        }
        AtomicFile.deleteRemains(directory);
        var log = new ScriptLog(Clock.system());
        var keyFile = new KeyFile(directory);
        KeyFile.Content keys = withKeyOfProject(keyFile.open(), keyFile, settings, log);
        if (keys.pin().equals(KNOWN_PIN)) {
            log.add(
                    Level.WARNING,
                    "the PIN is "
                            + KNOWN_PIN
                            + ", which everybody knows: anyone in the network can take over this"
                            + " controller. For a PIN of its own stop it, move keys.json away and"
                            + " start it again; Object Manager must adopt it anew. Once it has a"
                            + " project key, --fortified keeps others out as well");
        }
        Identity identity =
                Identity.open(directory.resolve("root/a"), mac(settings.address), settings.version);
        Loops loops =
                Loops.start(s -> s.loops(1).transport(settings.transport).name("sirocco-home"));
        try {
            return open(settings, keyFile, keys, identity, loops, log);
        } catch (IOException | RuntimeException e) {
            loops.close();
            throw e;
        }
    }

    private static Clu open(
            CluSettings settings,
            KeyFile keyFile,
            KeyFile.Content keys,
            Identity identity,
            Loops loops,
            ScriptLog log)
            throws IOException {
        Path root = settings.directory.resolve("root");
        var transfers =
                new FileTransfers(
                        loops,
                        settings.address,
                        settings.tftpPort,
                        root,
                        TftpSettings.DEFAULTS,
                        log::add);
        var server =
                new CluServer(loops.all().getFirst(), settings, identity, keyFile, keys, transfers);
        LuaRuntime scripts;
        try {
            scripts =
                    LuaRuntime.create(
                            root,
                            server,
                            s -> {
                                s.reports(settings.reports).log(log);
                                settings.scripts.accept(s);
                            });
        } catch (RuntimeException e) { // a setting is wrong
            server.end();
            throw e;
        }
        var clients =
                new RemoteClients(
                        loops,
                        settings.address,
                        settings.remotePort,
                        settings.remoteTimeout,
                        server::projectKey);
        var services = new CluServices(settings, identity, clients);
        services.scripts(scripts);
        var objects = new StandardObjects(services, settings.directory, settings.version);
        var created = new CluObjects(settings, services, objects, clients);
        var clu =
                new Clu(
                        loops,
                        identity,
                        keys.pin(),
                        scripts,
                        server,
                        transfers,
                        clients,
                        services,
                        objects,
                        created);
        try {
            scripts.start(created);
            if (settings.fortified && !keys.hasProjectKey()) {
                log.add(
                        Level.WARNING,
                        "the controller is not fortified yet: it has no project key. Have Object"
                                + " Manager adopt it, or copy the project to "
                                + settings.directory.resolve("project.omp"));
            }
            server.open(loops, scripts, clients::keyChanged);
            return clu;
        } catch (IOException | RuntimeException e) {
            try {
                clu.close();
            } catch (RuntimeException alsoFailed) {
                e.addSuppressed(alsoFailed);
            }
            throw e;
        }
    }

    /**
     * Until a client sets a project key, that of the project in its folder is the key. It stays the
     * key when the project is gone. A fortified controller without any project key does not start
     * when the project cannot be read: it would be open to the PIN.
     */
    private static KeyFile.Content withKeyOfProject(
            KeyFile.Content keys, KeyFile file, CluSettings settings, ScriptLog log)
            throws IOException {
        Path project = settings.directory.resolve("project.omp");
        if (keys.adopted() || Files.notExists(project)) {
            return keys;
        }
        try {
            ProjectKey both = ProjectFile.read(project).key();
            var key = new CipherKey(Bytes.of(both.key()), Bytes.of(both.iv()));
            KeyFile.Content next = keys.withKeyOfProject(key);
            if (!next.equals(keys)) {
                writeKeyOfProject(file, next, log);
            }
            return next;
        } catch (ProjectException e) {
            if (settings.fortified && !keys.hasProjectKey()) {
                throw new IOException(
                        e.getMessage()
                                + ". A fortified controller needs the key of its project: save the"
                                + " project in Object Manager again and copy it to "
                                + project
                                + ", or start without --fortified.",
                        e);
            }
            log.add(Level.WARNING, "the controller keeps its key: " + e.getMessage());
            return keys;
        }
    }

    /** Writes the key of the project; the next start reads it again if the disk is full. */
    private static void writeKeyOfProject(KeyFile file, KeyFile.Content next, ScriptLog log) {
        try {
            file.write(next);
        } catch (IOException e) {
            log.add(
                    Level.WARNING,
                    "the key of project.omp is in use, but keys.json cannot be written: "
                            + e.getMessage());
        }
    }

    /** Returns the address that it is bound to. */
    public InetSocketAddress address() {
        return server.address();
    }

    /** Returns the PIN that Object Manager asks for. */
    public String pin() {
        return pin;
    }

    /** Returns the serial number, an unsigned number. */
    public int serial() {
        return identity.serial();
    }

    /**
     * Returns whether it accepts nothing without its project key: it was started so, and has one.
     */
    public boolean fortified() {
        return server.isFortified();
    }

    /** Returns how many datagrams had no effect since the start. */
    public RefusedRequests refused() {
        return server.refused();
    }

    /** Returns how the scripts are. */
    public LuaStatus status() {
        return scripts.status();
    }

    /** Returns the log of the scripts. */
    public ScriptLog log() {
        return scripts.log();
    }

    /**
     * Returns the objects that the scripts have created, with their features; completes on the
     * thread of the scripts. It fails while too much waits for that thread.
     */
    public CompletableFuture<List<ObjectSnapshot>> objects() {
        return created.snapshots();
    }

    /**
     * Evaluates a Lua expression as for a client.
     *
     * @return the text of its value, {@code nil} if it fails; completes on the thread of the
     *     scripts
     */
    public CompletableFuture<String> evaluate(String expression) {
        var result = new CompletableFuture<String>();
        if (!scripts.call(expression, result::complete)) {
            result.completeExceptionally(
                    new IllegalStateException("too many calls wait for the scripts"));
        }
        return result;
    }

    /** Returns the clients that receive values every second, the one renewed last at the end. */
    public List<ReportClient> clients() {
        return scripts.clients();
    }

    /** Returns how the connection to the broker of MQTT is. */
    public MqttStatus mqtt() {
        return services.mqttStatus();
    }

    /** Returns how many objects, and values of scripts, Home Assistant shows. */
    public int shownObjects() {
        return services.shownObjects();
    }

    /**
     * Does what a RESET of a client does: discards the state of the scripts and boots them again,
     * ends file transfers, and no longer accepts the temporary key. Completes when the scripts run.
     */
    public CompletableFuture<LuaStatus> reset() {
        return server.reset();
    }

    /** Ends all parts, also if one of them fails; throws the failure at the end. */
    @Override
    public void close() {
        closeAll(
                server::close,
                transfers::end,
                scripts::close,
                created::end,
                services::close,
                objects::close,
                clients::close,
                loops::close,
                server::end);
    }

    /** Runs all, and throws what the first that fails throws, with the others suppressed. */
    static void closeAll(Runnable... parts) {
        Throwable failure = null;
        for (Runnable part : parts) {
            try {
                part.run();
            } catch (RuntimeException | Error e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        switch (failure) {
            case null -> {}
            case Error error -> throw error;
            case RuntimeException exception -> throw exception;
            default -> throw new AssertionError(failure);
        }
    }

    /** Returns the hardware address of the interface with an address, zeros if it has none. */
    private static byte[] mac(Inet4Address address) throws IOException {
        NetworkInterface found = NetworkInterface.getByInetAddress(address);
        byte[] mac = found == null ? null : found.getHardwareAddress();
        return mac == null || mac.length != 6 ? new byte[6] : mac;
    }
}
