// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class MpscQueueTest {
    private final MpscQueue<Integer> queue = new MpscQueue<>();
    private final List<Integer> drained = new ArrayList<>();

    @Test
    void itemsComeInTheirOrder() {
        for (int i = 0; i < 5; i++) {
            assertTrue(queue.offer(i, 10));
        }
        queue.drain(drained::add);
        assertEquals(List.of(0, 1, 2, 3, 4), drained);
        assertTrue(queue.isEmpty());
    }

    @Test
    void itemsThatAreAddedMeanwhileWaitForTheNextCall() {
        queue.offer(1, 10);
        queue.drain(
                item -> {
                    drained.add(item);
                    queue.offer(2, 10);
                });
        assertEquals(List.of(1), drained);
        queue.drain(drained::add);
        assertEquals(List.of(1, 2), drained);
    }

    @Test
    void theLimitBoundsItUntilItIsDrained() {
        assertTrue(queue.offer(1, 2));
        assertTrue(queue.offer(2, 2));
        assertFalse(queue.offer(3, 2));
        assertTrue(queue.offer(3, Long.MAX_VALUE));
        queue.drain(drained::add);
        assertTrue(queue.offer(4, 2));
    }

    @Test
    void aClosedOneGivesItsLastItemsOnceAndTakesNone() {
        queue.offer(1, 10);
        queue.close(drained::add);
        assertTrue(queue.isClosed());
        assertFalse(queue.offer(2, 10));
        queue.close(drained::add);
        queue.drain(drained::add);
        assertEquals(List.of(1), drained);
        assertTrue(queue.isClosed());
    }

    @Test
    void nothingOfManyProducersIsLostOrOutOfOrder() throws Exception {
        int producers = 4;
        int each = 50_000;
        var threads = new ArrayList<Thread>();
        for (int p = 0; p < producers; p++) {
            int base = p * each;
            threads.add(
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        for (int i = 0; i < each; i++) {
                                            queue.offer(base + i, Long.MAX_VALUE);
                                        }
                                    }));
        }
        while (drained.size() < producers * each) {
            queue.drain(drained::add);
            Thread.onSpinWait();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        var next = new int[producers];
        for (int item : drained) {
            assertEquals(next[item / each]++, item % each);
        }
    }
}
