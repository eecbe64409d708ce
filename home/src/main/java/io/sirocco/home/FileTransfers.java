// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import io.sirocco.home.tftp.TftpServer;
import io.sirocco.home.tftp.TftpSettings;
import io.sirocco.net.Loops;
import io.sirocco.net.log.LazyLogger;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The TFTP server of a controller, which runs while a client transfers files: it starts when one
 * asks for it, serves that host alone, and ends with a reset or some time after the last transfer.
 *
 * <p>A thread of its own starts and ends it. Requests that come meanwhile add up to one: a stop
 * ends the transfers, and the last request says whether the server runs then, and for whom. All of
 * them have a response at once, up to {@value #MAX_WAITING}; older ones get no response. Any
 * thread.
 */
final class FileTransfers {
    private static final LazyLogger LOG = LazyLogger.of(Clu.class);
    private static final int MAX_WAITING = 100;
    private static final Duration END = Duration.ofSeconds(2);

    private final Loops loops;
    private final InetAddress address;
    private final int port;
    private final Path root;
    private final TftpSettings settings;
    private final BiConsumer<Level, String> log;
    private Wanted wanted = new Wanted(); // guarded by this, as are the next two
    private Thread worker; // null while nothing is wanted
    private boolean ended;
    private TftpServer server; // of the worker; null while none runs

    /** The combined effect of the waiting requests. */
    private static final class Wanted {
        private boolean stop; // first
        private InetAddress host; // to admit then; null: none
        private final Queue<Consumer<Boolean>> done = new ArrayDeque<>();

        boolean isNothing() {
            return !stop && host == null;
        }
    }

    /**
     * Creates transfers that have not started.
     *
     * @param log receives, on any thread, the lines for the owner of the controller
     */
    FileTransfers(
            Loops loops,
            InetAddress address,
            int port,
            Path root,
            TftpSettings settings,
            BiConsumer<Level, String> log) {
        this.log = log;
        this.loops = loops;
        this.address = address;
        this.port = port;
        this.root = root;
        this.settings = settings;
    }

    /**
     * Admits a host, instead of the one before.
     *
     * @param done receives whether the server runs, on another thread
     */
    void admit(InetAddress host, Consumer<Boolean> done) {
        want(host, done);
    }

    /**
     * Ends the server; another may be admitted later.
     *
     * @param done is called when it has ended, on another thread
     */
    void close(Runnable done) {
        want(null, reached -> done.run());
    }

    private synchronized void want(InetAddress host, Consumer<Boolean> done) {
        if (ended) {
            return;
        }
        wanted.stop |= host == null;
        wanted.host = host;
        if (wanted.done.size() == MAX_WAITING) {
            wanted.done.remove();
        }
        wanted.done.add(done);
        if (worker == null) {
            worker = Thread.ofVirtual().name("sirocco-home-tftp").start(this::work);
        }
    }

    private synchronized Wanted next() {
        Wanted next = wanted;
        if (next.isNothing()) {
            worker = null;
            return null;
        }
        wanted = new Wanted();
        return next;
    }

    private void work() {
        for (Wanted next = next(); next != null; next = next()) {
            try {
                boolean reached = reach(next);
                next.done.forEach(done -> done.accept(reached));
            } catch (RuntimeException | Error e) { // or no file could be transferred any more
                LOG.get().log(Level.ERROR, "a request for TFTP fails", e);
            }
        }
    }

    private boolean reach(Wanted next) {
        if (next.stop && server != null) {
            server.close();
            server = null;
        }
        return next.host == null || admit(next.host);
    }

    private boolean admit(InetAddress host) {
        if (server != null && server.admit(host)) {
            return true;
        }
        try {
            server = TftpServer.start(loops, address, port, root, settings);
            return server.admit(host);
        } catch (IOException e) {
            String problem = String.valueOf(e.getMessage());
            boolean forbidden = port < 1024 && problem.contains("Permission denied");
            String hint = forbidden ? ". Ports below 1024 need root or CAP_NET_BIND_SERVICE" : "";
            log.accept(
                    Level.WARNING,
                    "TFTP cannot start at port " + port + ": " + problem + hint + ".");
            return false;
        }
    }

    /** Ends the server for good, and waits up to 2 s for that. */
    void end() {
        end(END);
    }

    void end(Duration longest) {
        close(() -> {});
        Thread running;
        synchronized (this) {
            ended = true;
            running = worker;
        }
        if (running != null) {
            try {
                if (!running.join(longest)) {
                    LOG.get()
                            .log(
                                    Level.WARNING,
                                    "TFTP has not ended within {0} s",
                                    longest.toMillis() / 1e3);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
