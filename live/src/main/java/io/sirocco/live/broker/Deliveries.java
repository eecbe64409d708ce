// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

import io.sirocco.net.log.LazyLogger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Calls to nodes, one after the other, in the order in which they were put here. One of the threads
 * that have put some runs them all; the others go on. Any thread.
 */
final class Deliveries {
    private static final LazyLogger LOG = LazyLogger.of(MemoryBroker.class);
    private static final int MOST = 100_000;

    /** What a node is told. */
    interface Delivery {
        void to(Node node);
    }

    private final List<Node> nodes = new CopyOnWriteArrayList<>();
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger size = new AtomicInteger();
    private final AtomicInteger wanted = new AtomicInteger(); // calls of run that are not served

    List<Node> nodes() {
        return nodes;
    }

    /**
     * Says whether more may be put here.
     *
     * @throws BrokerException when the nodes do not keep up
     */
    void mustHaveRoom() {
        if (size.get() >= MOST) {
            throw new BrokerException(
                    MOST + " calls wait for a node of this process that does not keep up.");
        }
    }

    /** Puts one at the end; {@link #run} follows, without the lock that makes the order. */
    void add(Delivery delivery) {
        size.incrementAndGet();
        waiting.add(() -> nodes.forEach(node -> tell(node, delivery)));
    }

    /** Has {@code task} run behind what is here; {@link #run} follows. */
    void addBehind(Runnable task) {
        size.incrementAndGet();
        waiting.add(task);
    }

    void run() {
        if (wanted.getAndIncrement() != 0) {
            return; // whoever runs them sees it
        }
        int served = 1;
        do {
            for (Runnable next = waiting.poll(); next != null; next = waiting.poll()) {
                size.decrementAndGet();
                next.run();
            }
            served = wanted.addAndGet(-served);
        } while (served != 0);
    }

    private static void tell(Node node, Delivery delivery) {
        try {
            delivery.to(node);
        } catch (RuntimeException | Error e) { // else nobody would run what follows
            LOG.get().log(Level.ERROR, "node " + node.id() + " failed at what it was told", e);
        }
    }
}
