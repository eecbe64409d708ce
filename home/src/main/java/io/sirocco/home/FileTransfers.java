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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * The TFTP server of a controller, which runs while a client transfers files: it starts when one
 * asks for it, serves that host alone, and ends with a reset or some time after the last transfer.
 * Any thread.
 */
final class FileTransfers {
    private static final LazyLogger LOG = LazyLogger.of(Clu.class);

    private final Loops loops;
    private final InetAddress address;
    private final int port;
    private final Path root;
    private final TftpSettings settings;
    private final ExecutorService executor =
            Executors.newSingleThreadExecutor(
                    Thread.ofVirtual().name("sirocco-home-tftp").factory());
    private TftpServer server; // of the executor; null while none runs

    FileTransfers(Loops loops, InetAddress address, int port, Path root, TftpSettings settings) {
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
        execute(() -> done.accept(admit(host)));
    }

    private boolean admit(InetAddress host) {
        if (server != null && server.admit(host)) {
            return true;
        }
        try {
            server = TftpServer.start(loops, address, port, root, settings);
            return server.admit(host);
        } catch (IOException e) {
            LOG.get()
                    .log(
                            Level.WARNING,
                            "TFTP cannot start: {0}. Ports below 1024 need root or"
                                    + " CAP_NET_BIND_SERVICE.",
                            e.getMessage());
            return false;
        }
    }

    /**
     * Ends the server; another may be admitted later.
     *
     * @param done is called when it has ended, on another thread
     */
    void close(Runnable done) {
        execute(
                () -> {
                    if (server != null) {
                        server.close();
                        server = null;
                    }
                    done.run();
                });
    }

    /** Ends the server for good. */
    void end() {
        close(() -> {});
        executor.close();
    }

    private void execute(Runnable task) {
        try {
            executor.execute(task);
        } catch (RejectedExecutionException e) {
            // it has ended
        }
    }
}
