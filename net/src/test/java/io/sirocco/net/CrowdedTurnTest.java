// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Very much work becomes runnable at once, each piece of it short: the loop ends its turn
 * meanwhile, so that others have theirs, and it does not count as blocked.
 */
@Timeout(60)
final class CrowdedTurnTest {
    private static final int PIECES = 400;
    private static final long NANOS = 5_000_000;

    private final AtomicInteger done = new AtomicInteger();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CompletableFuture<Integer> seen = new CompletableFuture<>();

    /** Those behind the one that ends the test need not last. */
    private void compute() {
        long end = System.nanoTime() + NANOS;
        while (System.nanoTime() < end && !seen.isDone()) {
            Thread.onSpinWait();
        }
        done.incrementAndGet();
        begun.countDown();
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void threadsThatAreWokenTogether(TransportKind transport) throws Exception {
        var woken = new CountDownLatch(1);
        try (Loops loops = Loops.start(s -> s.loops(1).transport(transport))) {
            Loop loop = loops.all().getFirst();
            var parked = new CountDownLatch(PIECES);
            for (int i = 0; i < PIECES; i++) {
                loop.startVirtual(
                        () -> {
                            parked.countDown();
                            awaitQuietly(woken);
                            compute();
                        });
            }
            assertTrue(parked.await(20, TimeUnit.SECONDS));
            woken.countDown();
            othersHaveTheirTurn(loop);
        }
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void tasksThatComeTogether(TransportKind transport) throws Exception {
        try (Loops loops = Loops.start(s -> s.loops(1).transport(transport))) {
            Loop loop = loops.all().getFirst();
            loop.execute(
                    () -> {
                        for (int i = 0; i < PIECES; i++) {
                            loop.execute(this::compute);
                        }
                        loop.scheduleAt(loop.nanos() + NANOS, () -> seen.complete(done.get()));
                    });
            assertTrue(seen.get(30, TimeUnit.SECONDS) < PIECES, "a timer has waited for all");
        }
    }

    /** A task of another thread runs before all of them are done. */
    private void othersHaveTheirTurn(Loop loop) throws Exception {
        assertTrue(begun.await(20, TimeUnit.SECONDS));
        loop.execute(() -> seen.complete(done.get()));
        assertTrue(seen.get(30, TimeUnit.SECONDS) < PIECES, "a task has waited for all");
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
