// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.redis;

import io.sirocco.live.broker.BrokerException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Who waits until this node has read as far as others have written. Any thread. */
final class Waiters {
    private record Waiter(long number, long deadline, CompletableFuture<Void> stage) {}

    private final Deque<Waiter> waiting = new ArrayDeque<>(); // with the lock held
    private final int most;
    private long reached;

    Waiters(int most) {
        this.most = most;
    }

    /** Until {@code number} is read, or the log has begun anew. */
    CompletableFuture<Void> until(long number, long deadline) {
        var stage = new CompletableFuture<Void>();
        synchronized (this) {
            if (number > reached && waiting.size() < most) {
                waiting.add(new Waiter(number, deadline, stage));
                return stage;
            }
            if (number > reached) {
                return CompletableFuture.failedFuture(
                        new BrokerException(most + " clients wait for what they have missed."));
            }
        }
        stage.complete(null);
        return stage;
    }

    void reached(long number) {
        List<Waiter> ready = new ArrayList<>();
        synchronized (this) {
            reached = number;
            waiting.removeIf(one -> one.number <= number && ready.add(one));
        }
        ready.forEach(one -> one.stage.complete(null));
    }

    /** Fails those whose time is over. */
    void tick(long now) {
        List<Waiter> over = new ArrayList<>();
        synchronized (this) {
            waiting.removeIf(one -> now - one.deadline >= 0 && over.add(one));
        }
        over.forEach(one -> fail(one, "This node does not keep up with the broker."));
    }

    /** Fails all. */
    synchronized void close() {
        waiting.forEach(one -> fail(one, "The broker was closed."));
        waiting.clear();
    }

    private static void fail(Waiter waiter, String why) {
        waiter.stage.completeExceptionally(new BrokerException(why));
    }
}
