// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import io.sirocco.bench.compare.PeerProgram.Prepared;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The servers of a race, from their start to their end. Only one runs at a time: the others are
 * stopped. {@link #close} may be called on any thread, and again.
 */
final class LineUp implements AutoCloseable {
    private final List<ServerProcess> servers = new CopyOnWriteArrayList<>();
    private final PrintWriter err;

    LineUp(PrintWriter err) {
        this.err = err;
    }

    /** Builds what is not there yet; a line for each. */
    List<Prepared> prepare(List<PeerProgram> programs) throws InterruptedException {
        var all = new ArrayList<Prepared>();
        for (PeerProgram program : programs) {
            Prepared prepared = program.prepare();
            switch (prepared) {
                case Prepared.Ready ready -> say(program.name(), ready.peer().version());
                case Prepared.Absent absent ->
                        say(program.name(), "absent: " + absent.peer().absent());
            }
            all.add(prepared);
        }
        return all;
    }

    /**
     * Starts the server behind the proxies, on the core of the generator.
     *
     * @throws IOException when it cannot be had; says why
     */
    Upstream startUpstream(PeerProgram program, int cpu, Path files)
            throws IOException, InterruptedException {
        return switch (program.prepare()) {
            case Prepared.Absent absent ->
                    throw new IOException(
                            "the upstream of the proxies is absent: " + absent.peer().absent());
            case Prepared.Ready ready -> {
                say(program.name(), ready.peer().version() + ", behind the proxies");
                int port = Ports.free(1).getFirst();
                var server = ServerProcess.start(ready.program(), cpu, port, files);
                servers.add(server);
                yield new Upstream(server);
            }
        };
    }

    /** Starts those that are there, each on a port of its own, and stops each as it is up. */
    List<Entry> start(List<Prepared> prepared, int cpu, Path files, Map<String, String> environment)
            throws IOException, InterruptedException {
        var entries = new ArrayList<Entry>();
        var ports = Ports.free(prepared.size()).iterator();
        for (Prepared each : prepared) {
            entries.add(
                    switch (each) {
                        case Prepared.Absent absent ->
                                new Entry(absent.peer(), Set.of(), Optional.empty());
                        case Prepared.Ready ready ->
                                start(ready, cpu, ports.next(), files, environment);
                    });
        }
        return entries;
    }

    private Entry start(
            Prepared.Ready ready, int cpu, int port, Path files, Map<String, String> environment)
            throws InterruptedException {
        try {
            var server = ServerProcess.start(ready.program(), cpu, port, files, environment);
            servers.add(server);
            server.pause();
            return new Entry(ready.peer(), ready.works(), Optional.of(server));
        } catch (IOException e) {
            say(ready.peer().name(), "absent: " + e.getMessage());
            return Entry.absent(ready.peer(), e.getMessage());
        }
    }

    private void say(String peer, String words) {
        err.printf("  %-12s %s%n", peer, words);
        err.flush();
    }

    /** Asks all to end at the same time, then waits for each. */
    @Override
    public void close() {
        servers.forEach(ServerProcess::terminate);
        servers.forEach(ServerProcess::close);
        servers.clear();
    }
}
