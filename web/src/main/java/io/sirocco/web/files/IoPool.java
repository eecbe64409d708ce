// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A few threads for what must not be done on a loop, and a bounded queue before them. They end when
 * there is nothing to do. Any thread.
 */
final class IoPool implements AutoCloseable {
    private final ThreadPoolExecutor threads;

    IoPool(String name, int most, int queue) {
        threads =
                new ThreadPoolExecutor(
                        most,
                        most,
                        10,
                        TimeUnit.SECONDS,
                        new ArrayBlockingQueue<>(queue),
                        Thread.ofPlatform().daemon().name("sirocco-" + name + "-", 0).factory());
        threads.allowCoreThreadTimeOut(true);
    }

    /** Does it, or answers false: too much waits already. */
    boolean takes(Runnable task) {
        try {
            threads.execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    /** What {@code work} answers or throws; {@link Busy} when too much waits already. */
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

    /** What waits is not done any more. */
    @Override
    public void close() {
        threads.shutdownNow();
    }
}
