// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Writes down what happens to a client. Any thread. */
final class Log {
    private static final int PATIENCE = 20; // seconds
    final LinkedBlockingQueue<Object> told = new LinkedBlockingQueue<>();

    /** Writes down what happens to it in {@code namespace}. */
    Log of(LiveNamespace namespace) {
        namespace.onConnected(told::add);
        namespace.onDisconnected(told::add);
        namespace.onRefused(told::add);
        namespace.onError(told::add);
        if (namespace instanceof LiveClient client) {
            client.onReconnecting(told::add);
        }
        return this;
    }

    /** The next one, which has to be of this kind. */
    <T> T next(Class<T> kind) {
        try {
            Object next = told.poll(PATIENCE, TimeUnit.SECONDS);
            return assertInstanceOf(kind, next, () -> "then " + told);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Waits until {@code happened}, twenty seconds at most. */
    static void until(String what, BooleanSupplier happened) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE);
        while (!happened.getAsBoolean()) {
            assertTrue(System.nanoTime() < end, () -> "still not: " + what);
            LockSupport.parkNanos(1_000_000);
        }
    }
}
