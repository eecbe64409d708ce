// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ReplayWindowTest {
    private final ReplayWindow window = new ReplayWindow();

    @Test
    void aCopyIsNotNew() {
        assertTrue(window.isNew(datagram(1), 48));
        assertFalse(window.isNew(datagram(1), 48));
        assertTrue(window.isNew(datagram(2), 48));
    }

    /** Compared with a set and a queue over twice as many requests as it remembers. */
    @Test
    void itRemembersTheLastRequestsAndNoOthers() {
        var random = new Random(7);
        var set = new HashSet<Integer>();
        var queue = new ArrayDeque<Integer>();
        for (int i = 0; i < 3 * ReplayWindow.SIZE; i++) {
            int number = random.nextInt(2 * ReplayWindow.SIZE); // many come again
            boolean isNew = set.add(number);
            if (isNew) {
                queue.add(number);
            }
            if (queue.size() > ReplayWindow.SIZE) {
                set.remove(queue.remove());
            }
            assertTrue(window.isNew(datagram(number), 48) == isNew, "request " + i);
        }
    }

    private static byte[] datagram(int number) {
        byte[] bytes = new byte[48];
        new Random(number).nextBytes(bytes);
        return bytes;
    }
}
