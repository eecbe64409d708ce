// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The server of a peer, pinned to one core. It runs from {@link #start} on, and may be stopped
 * while others are at work; until {@link #close}, after which nothing of it is left. Any thread.
 */
final class ServerProcess implements AutoCloseable {
    private static final Duration TO_START = Duration.ofSeconds(30);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(10);

    private final ProcessGroup group;
    private final InetSocketAddress address;
    private final Path log;

    private ServerProcess(ProcessGroup group, InetSocketAddress address, Path log) {
        this.group = group;
        this.address = address;
        this.log = log;
    }

    /**
     * Starts it, and waits until it takes connections.
     *
     * @param files the folder that it serves at {@code /files/}
     * @throws IOException when it ends, or takes no connection in time; its last words are in the
     *     message
     */
    static ServerProcess start(PeerProgram program, int cpu, int port, Path files)
            throws IOException, InterruptedException {
        return start(program, cpu, port, files, Map.of());
    }

    /**
     * The same.
     *
     * @param environment variables that it has beside those of this process
     */
    static ServerProcess start(
            PeerProgram program, int cpu, int port, Path files, Map<String, String> environment)
            throws IOException, InterruptedException {
        var run = program.call("run", program.home().toString(), "" + port, files.toString());
        run.environment().putAll(environment);
        var command = new ArrayList<>(List.of("taskset", "-c", "" + cpu));
        command.addAll(run.command());
        run.command(command)
                .redirectErrorStream(true)
                .redirectOutput(Redirect.appendTo(program.log().toFile()));
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        var server = new ServerProcess(ProcessGroup.start(run), address, program.log());
        boolean answers = false;
        try {
            server.awaitConnections();
            answers = true;
            return server;
        } finally {
            if (!answers) {
                server.close();
            }
        }
    }

    /** Looks again and again, and at once when the process ends. */
    private void awaitConnections() throws IOException, InterruptedException {
        long end = System.nanoTime() + TO_START.toNanos();
        while (!connects()) {
            if (group.endsWithin(BETWEEN_LOOKS)) {
                throw new IOException("its server ended" + lastWords());
            }
            if (System.nanoTime() - end > 0) {
                throw new IOException(
                        "its server took no connection in %d s%s"
                                .formatted(TO_START.toSeconds(), lastWords()));
            }
        }
    }

    private boolean connects() {
        try (var socket = new Socket()) {
            socket.connect(address, 1_000);
            return true;
        } catch (IOException notYet) {
            return false;
        }
    }

    /** What it printed last, for people; empty when that is nothing. */
    String lastWords() {
        String line = LogTail.lastLine(log);
        return line.isEmpty() ? "" : ": " + line;
    }

    InetSocketAddress address() {
        return address;
    }

    boolean alive() {
        return group.alive();
    }

    /** CPU time of all its processes until now; the grain is {@link ProcStat#TICK_MICROS}. */
    long cpuMicros() {
        return group.cpuMicros();
    }

    /** Resident memory of all its processes, in bytes. */
    long residentBytes() {
        return group.members().stream().mapToLong(ServerProcess::residentBytes).sum();
    }

    private static long residentBytes(ProcStat process) {
        Path status = Path.of("/proc", "" + process.pid(), "status");
        try (var lines = Files.lines(status)) {
            return lines.filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
                    .sum();
        } catch (IOException gone) {
            return 0;
        }
    }

    /** Stops all its processes, so that it costs the others nothing. */
    void pause() {
        group.signal("STOP");
    }

    /** Lets it work again. */
    void resume() {
        group.signal("CONT");
    }

    /** Asks it to end, and does not wait. */
    void terminate() {
        group.terminate();
    }

    @Override
    public void close() {
        group.close();
    }
}
