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
 * What the WebSockets of one loop share, of a server or of a client. Loop-confined, unless a method
 * says otherwise.
 */
abstract sealed class WebSocketContext permits LoopContext, ClientLoopContext {
    private static final LazyLogger LOG = LazyLogger.of(WebSocketContext.class);

    final Loop loop;

    /** Which end of its sockets is ours. */
    final Role role;

    final byte[] frameHead = new byte[Frame.LONGEST_HEAD]; // to be filled and copied at once

    WebSocketContext(Loop loop, Role role) {
        this.loop = loop;
        this.role = role;
    }

    /** A socket is open. */
    abstract void socketOpened();

    /** A socket's connection has gone. */
    abstract void socketClosed(Connection connection, CloseCause cause);

    /** How long a peer may take nothing of what it is sent. */
    abstract long writeMillis();

    /** The key of the next frame; asked of a client only. */
    abstract int nextKey();

    /** A program's code threw. Any thread. */
    abstract void failed(String id, Throwable thrown);

    boolean isLoopThread() {
        return loop.inLoop() && !Thread.currentThread().isVirtual();
    }

    /**
     * Has the loop run {@code task}; answers whether it will: not after the loop's end, when nobody
     * needs it, but somebody may wait for it. Any thread.
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
     * Has the loop start something: at once if the caller is on it. Returns what that is completed
     * with. Any thread.
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

    /** The same for a caller that is not on the loop. */
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
        } catch (Throwable e) { // else its thread would wait for ever
            crossing.completeExceptionally(e);
            throw e;
        }
    }

    /** Waits for {@code future}. Any thread but a loop's. */
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
