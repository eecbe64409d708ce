// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.net.log.LazyLogger;
import java.lang.System.Logger.Level;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs one task after the other, in the order in which they came, on the thread of one of those who
 * brought them; the others go on. Any thread.
 */
final class Order {
    private static final LazyLogger LOG = LazyLogger.of(Live.class);

    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger wanted = new AtomicInteger(); // calls that are not served

    void run(Runnable task) {
        waiting.add(task);
        if (wanted.getAndIncrement() != 0) {
            return; // whoever runs them sees it
        }
        int served = 1;
        do {
            for (Runnable next = waiting.poll(); next != null; next = waiting.poll()) {
                runAlone(next);
            }
            served = wanted.addAndGet(-served);
        } while (served != 0);
    }

    private static void runAlone(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) { // else nobody would run what follows
            LOG.get().log(Level.ERROR, "a message could not be delivered", e);
        }
    }
}
