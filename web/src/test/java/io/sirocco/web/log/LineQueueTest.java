// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LineQueueTest {

    private static Line line(String text) {
        return new Line().put(text);
    }

    private static String text(Line line) {
        return new String(line.bytes(), 0, line.length());
    }

    @Test
    void whatDoesNotFitIsRefusedUntilThereIsRoom() {
        var queue = new LineQueue(64);
        for (int i = 0; i < 64; i++) {
            assertTrue(queue.put(line("line " + i)));
        }
        assertFalse(queue.put(line("too much")));
        assertEquals("line 0", text(queue.take()));
        assertTrue(queue.put(line("line 64")));
        for (int i = 1; i <= 64; i++) {
            assertEquals("line " + i, text(queue.take()));
        }
        assertNull(queue.take());
        assertTrue(queue.empty());
    }

    @Test
    void aLongLineTakesTheRoomOfSeveral() {
        var queue = new LineQueue(64);
        int lines = 0;
        while (queue.put(line("x".repeat(10_000)))) {
            lines++;
        }
        assertEquals(64 / 10, lines);
        for (int round = 0; round < 100; round++) { // past the end of the ring and round again
            assertEquals(10_000, queue.take().length());
            assertTrue(queue.put(line("x".repeat(10_000))));
        }
    }

    @Test
    void severalThreadsPutAndNothingIsLostTwiceOrOutOfOrder() throws Exception {
        var queue = new LineQueue(256);
        int threads = 4;
        int each = 50_000;
        var refused = new AtomicLong();
        var producers = new ArrayList<Thread>();
        for (int t = 0; t < threads; t++) {
            String name = t + " ";
            producers.add(
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        for (int i = 0; i < each; i++) {
                                            String pad = i % 97 == 0 ? " ".repeat(3000) : "";
                                            if (!queue.put(line(name + i + pad))) {
                                                refused.incrementAndGet();
                                            }
                                        }
                                    }));
        }
        int[] last = {-1, -1, -1, -1};
        long taken = 0;
        while (producers.stream().anyMatch(Thread::isAlive) || !queue.empty()) {
            Line line = queue.take();
            if (line == null) {
                Thread.onSpinWait();
                continue;
            }
            String[] parts = text(line).trim().split(" ");
            int from = Integer.parseInt(parts[0]);
            int number = Integer.parseInt(parts[1]);
            assertTrue(number > last[from]);
            last[from] = number;
            taken++;
        }
        assertEquals((long) threads * each, taken + refused.get());
    }
}
