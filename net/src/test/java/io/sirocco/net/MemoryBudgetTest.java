// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class MemoryBudgetTest {
    private final MemoryBudget memory = new MemoryBudget(100);

    @Test
    void aReservationBeyondTheLimitReservesNothing() {
        assertTrue(memory.reserve(60));
        assertFalse(memory.reserve(41));
        assertEquals(60, memory.used());
        assertEquals(1, memory.refused());
        assertTrue(memory.reserve(40));
    }

    @Test
    void addedBytesRefuseWhatComesNextUntilTheyAreReleased() {
        memory.add(150);
        assertFalse(memory.reserve(1));
        memory.release(150);
        assertTrue(memory.reserve(100));
    }
}
