// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.http.ws.Frame;
import io.sirocco.http.ws.Role;
import io.sirocco.net.CloseCause;
import io.sirocco.net.Connection;
import io.sirocco.net.Loop;
import io.sirocco.net.log.LazyLogger;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.System.Logger.Level;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

/**
 * The context that the WebSockets of one loop share, of a server or a client. Loop-confined, unless
 * a method says otherwise.
 */
abstract sealed class WebSocketContext permits LoopContext, ClientLoopContext {
    private static final LazyLogger LOG = LazyLogger.of(WebSocketContext.class);

    final Loop loop;

    /** The role of our end of the sockets. */
    final Role role;

    final byte[] frameHead = new byte[Frame.LONGEST_HEAD]; // to be filled and copied at once

    WebSocketContext(Loop loop, Role role) {
        this.loop = loop;
        this.role = role;
    }

    /** Called when a socket is open. */
    abstract void socketOpened();

    /** Called when the connection of a socket was closed. */
    abstract void socketClosed(Connection connection, CloseCause cause);

    /** Returns the timeout of a peer that reads nothing, in milliseconds. */
    abstract long writeMillis();

    /** Returns the masking key of the next frame. Clients only. */
    abstract int nextKey();

    /** Called when a handler or listener throws. Any thread. */
    abstract void failed(String id, Throwable thrown);

    boolean isLoopThread() {
        return loop.inLoop() && !Thread.currentThread().isVirtual();
    }

    /**
     * Runs {@code task} on the loop. Returns false if the loop has ended, so that a caller does not
     * wait for the task in vain. Any thread.
     */
    boolean execute(Runnable task) {
        try {
            loop.execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            LOG.get().log(Level.DEBUG, "too late: {0}", e.getMessage());
            return false;
        }
    }

    /**
     * Starts an operation on the loop, at once if the caller is on it. Returns its result. Any
     * thread.
     */
    <T> CompletableFuture<T> call(Supplier<CompletableFuture<T>> start) {
        if (loop.enter()) {
            try {
                return start.get();
            } finally {
                loop.exit();
            }
        }
        return ask(start);
    }

    /** Starts an operation on the loop, for a caller on another thread. */
    <T> CompletableFuture<T> ask(Supplier<CompletableFuture<T>> start) {
        var crossing = new CompletableFuture<T>();
        if (!execute(() -> start(start, crossing))) {
            crossing.completeExceptionally(new IOException("the server has stopped"));
        }
        return crossing;
    }

    private static <T> void start(
            Supplier<CompletableFuture<T>> start, CompletableFuture<T> crossing) {
        try {
            start.get()
                    .whenComplete(
                            (value, thrown) -> {
                                if (thrown == null) {
                                    crossing.complete(value);
                                } else {
                                    crossing.completeExceptionally(thrown);
                                }
                            });
        } catch (Throwable e) { // or its thread would never continue
            crossing.completeExceptionally(e);
            throw e;
        }
    }

    /** Waits for {@code future}. Any thread except a loop. */
    static <T> T join(CompletableFuture<T> future) throws IOException {
        try {
            return future.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof BodyRefused refused) {
                throw refused;
            }
            throw new IOException(e.getCause().getMessage(), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException(
                    "interrupted: the server is stopping, or the handler timeout has passed");
        }
    }
}
