// SPDX-License-Identifier: Apache-2.0
package io.sirocco.ring;

import io.sirocco.http.Server;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

/** A running server of a Ring handler: its port, its status, and how it stops. Any thread. */
public final class RingServer {
    /** The states of a server, by the names of http-kit. */
    public enum Status {
        RUNNING,
        STOPPING,
        STOPPED
    }

    private final Server server;
    private final AtomicReference<Status> status = new AtomicReference<>(Status.RUNNING);
    private final CompletableFuture<Boolean> stopped = new CompletableFuture<>();
    private final int port;
    private final Runnable afterStop;

    /**
     * Starts a server that was created.
     *
     * @param afterStop called by the thread that stops it, when it has stopped, or when it does not
     *     start
     */
    public RingServer(Server created, Runnable afterStop) {
        this.afterStop = afterStop;
        try {
            server = created.start();
        } catch (RuntimeException | Error e) {
            afterStop.run();
            throw e;
        }
        port = server.port();
    }

    /** Returns the port, -1 for a Unix-domain socket. */
    public int port() {
        return port;
    }

    /** Returns the state. */
    public Status status() {
        return status.get();
    }

    /** Returns the server below. */
    public Server server() {
        return server;
    }

    /**
     * Stops the server: waits up to {@code millis} for requests in progress, and cuts off the rest.
     * Returns at once, since a handler may call this.
     *
     * @return a future of whether all requests ended in time; null if it is stopping or has stopped
     */
    public CompletableFuture<Boolean> stop(long millis) {
        if (!status.compareAndSet(Status.RUNNING, Status.STOPPING)) {
            return null;
        }
        Thread.ofPlatform().name("sirocco-ring-stop").start(() -> end(millis));
        return stopped;
    }

    private void end(long millis) {
        boolean drained = false;
        try {
            drained = server.stop(Duration.ofMillis(millis));
        } finally {
            try {
                afterStop.run();
            } finally {
                status.set(Status.STOPPED);
                stopped.complete(drained);
            }
        }
    }

    /** Waits until the server has stopped. */
    public void join() {
        stopped.join();
    }

    @Override
    public String toString() {
        return "sirocco.ring server on port " + port + ", " + status.get().name().toLowerCase();
    }
}
