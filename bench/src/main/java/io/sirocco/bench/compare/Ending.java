// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import java.time.Duration;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * How a race ends before its time: Ctrl-C, SIGTERM or a hang-up interrupt the thread that made this
 * object, which then stops the servers and writes what it has. The JVM waits for its {@link
 * #close}, 20 seconds at most; then it kills the servers itself. Any thread may ask.
 */
public final class Ending implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final Thread racing = Thread.currentThread();
    private final Thread hook = Thread.ofPlatform().name("ending").unstarted(this::onSignal);
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Deque<Runnable> lastly = new ConcurrentLinkedDeque<>();
    private volatile boolean asked;

    /** From now on signals end the race of this thread. */
    public Ending() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    private void onSignal() {
        ask();
        try {
            closed.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        } finally {
            lastly.forEach(Runnable::run);
        }
    }

    /** Ends the race. */
    void ask() {
        asked = true;
        racing.interrupt();
    }

    /** Whether the race should end. */
    boolean asked() {
        return asked;
    }

    /** The same as an exception, and the thread is no longer interrupted. */
    void orGoOn() throws InterruptedException {
        if (Thread.interrupted() || asked) {
            throw new InterruptedException();
        }
    }

    /** Notes that the thread was interrupted, by whomever. */
    void noted() {
        asked = true;
    }

    /**
     * What the JVM does before it ends, whatever the racing thread does; more than once is fine.
     */
    void lastly(Runnable task) {
        lastly.add(task);
    }

    @Override
    public void close() {
        closed.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException ending) {
            // It is the hook that waits for us.
        }
    }
}
