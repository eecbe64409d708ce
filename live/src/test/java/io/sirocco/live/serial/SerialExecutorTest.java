// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.serial;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.log.LazyLogger;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Messages, and moves between them, one after the other. */
class SerialExecutorTest {
    private static final LazyLogger LOG = LazyLogger.of(SerialExecutorTest.class);

    @Test
    void oneThatThrowsHindersNoneBehindIt() {
        var order = new SerialExecutor(10, LOG);
        var ran = new ArrayList<String>();
        order.execute(
                () -> {
                    order.execute(() -> ran.add("behind it"));
                    throw new IllegalStateException("oops");
                });
        order.execute(() -> ran.add("later"));
        assertEquals(List.of("behind it", "later"), ran);
    }

    @Test
    void tasksThatWaitAreBoundedAndThoseThatMustRunAreNot() throws InterruptedException {
        var order = new SerialExecutor(3, LOG);
        var ran = new ArrayList<Integer>();
        var runs = new CountDownLatch(1);
        var go = new CountDownLatch(1);
        Thread slow =
                Thread.ofVirtual()
                        .start(
                                () ->
                                        order.execute(
                                                () -> {
                                                    runs.countDown();
                                                    await(go);
                                                }));
        runs.await();
        for (int i = 0; i < 3; i++) {
            int number = i;
            assertTrue(order.offer(() -> ran.add(number)));
        }
        assertFalse(order.offer(() -> ran.add(3)));
        order.execute(() -> ran.add(4));
        go.countDown();
        slow.join();
        assertEquals(List.of(0, 1, 2, 4), ran);
        assertTrue(order.hasRoom());
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
