// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.loop;

import io.sirocco.net.Loop;
import io.sirocco.net.log.LazyLogger;
import io.sirocco.net.log.LinkedErrors;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.System.Logger.Level;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

/**
 * Runs tasks on one loop for code that may be on any thread, such as a handler, and returns their
 * results. Any thread.
 */
public class LoopTasks {
    static {
        LinkedErrors.link(Throwable.class);
    }

    private static final LazyLogger LOG = LazyLogger.of(LoopTasks.class);

    /** The loop that runs the tasks. */
    public final Loop loop;

    private final ClassLoader classLoader = Thread.currentThread().getContextClassLoader();

    protected LoopTasks(Loop loop) {
        this.loop = loop;
    }

    /**
     * Returns whether the caller is the loop's own thread, which must not block; false on a virtual
     * thread that the loop carries, which may.
     */
    public boolean isOwnThread() {
        return loop.isOwnThread();
    }

    /**
     * Called when code of the program has run, such as an inline handler. If that was on the loop's
     * own thread, what it has left there is removed, since the next code belongs to another client:
     * the interrupt flag and the context class loader.
     */
    public void clearThread() {
        if (loop.isOwnThread()) {
            Thread.interrupted();
            restoreClassLoader();
        }
    }

    /** Gives the calling thread the context class loader that the server was started with. */
    public void restoreClassLoader() {
        Thread thread = Thread.currentThread();
        if (thread.getContextClassLoader() != classLoader) {
            thread.setContextClassLoader(classLoader);
        }
    }

    /**
     * Runs {@code task} on the loop. Returns false if the loop has ended, so that a caller does not
     * wait for the task in vain. Any thread.
     */
    public boolean execute(Runnable task) {
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
    public <T> CompletableFuture<T> call(Supplier<CompletableFuture<T>> start) {
        if (loop.enter()) {
            try {
                return start.get();
            } finally {
                loop.exit();
            }
        }
        return ask(start);
    }

    /** Starts an operation on the loop, for a caller on another thread. Returns its result. */
    public <T> CompletableFuture<T> ask(Supplier<CompletableFuture<T>> start) {
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

    /**
     * Waits for {@code future}. Any thread except a loop's own.
     *
     * @throws IllegalStateException when it is not complete, and the caller is a loop's own thread,
     *     for which the loop would wait for ever
     */
    public static <T> T join(CompletableFuture<T> future) throws IOException {
        if (!future.isDone() && Loop.isLoopThread()) {
            throw new IllegalStateException(
                    "This call would block the event loop "
                            + Thread.currentThread().getName()
                            + " until the peer has sent, or taken, something: make it on a virtual"
                            + " thread (ExecutionMode.VIRTUAL), or use the method that returns a"
                            + " stage.");
        }
        try {
            return future.get();
        } catch (ExecutionException e) {
            throw new IOException(e.getCause().getMessage(), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException(
                    "interrupted: the server is stopping, or the handler timeout has passed");
        }
    }
}
