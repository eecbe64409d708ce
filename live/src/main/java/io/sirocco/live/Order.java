// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs one task after the other, in the order in which they came, on the thread of one of those who
 * brought them; the others go on. Any thread.
 */
final class Order {
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
                next.run();
            }
            served = wanted.addAndGet(-served);
        } while (served != 0);
    }
}
