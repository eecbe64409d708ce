// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A few threads for work that must not block a loop, with a bounded queue. They end when idle. Any
 * thread.
 */
final class IoPool implements AutoCloseable {
    private final AtomicInteger started = new AtomicInteger(); // for the names of threads
    private final ThreadPoolExecutor threads;

    IoPool(String name, int most, int queue) {
        // The JDK's own factory would cost the first request 7 ms, to link its counter.
        threads =
                new ThreadPoolExecutor(
                        most,
                        most,
                        10,
                        TimeUnit.SECONDS,
                        new ArrayBlockingQueue<>(queue),
                        task ->
                                Thread.ofPlatform()
                                        .daemon()
                                        .name("sirocco-" + name + "-" + started.getAndIncrement())
                                        .unstarted(task));
        threads.allowCoreThreadTimeOut(true);
    }

    /** Runs a task on one of the threads; returns false if the queue is full. */
    boolean takes(Runnable task) {
        try {
            threads.execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    /** Returns the result of {@code work}; fails with {@link Busy} if the queue is full. */
    <T> CompletableFuture<T> ask(Callable<T> work) {
        var answer = new CompletableFuture<T>();
        boolean taken =
                takes(
                        () -> {
                            try {
                                answer.complete(work.call());
                            } catch (Throwable e) {
                                answer.completeExceptionally(e);
                            }
                        });
        if (!taken) {
            answer.completeExceptionally(new Busy());
        }
        return answer;
    }

    /** Ends the threads. Work that waits is dropped. */
    @Override
    public void close() {
        threads.shutdownNow();
    }
}
