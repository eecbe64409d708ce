// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

/** Bounds and times of {@link KeyValues}. */
class KeyValuesTest {
    private long nanos;

    @Test
    void theLeastRecentlyUsedIsDropped() {
        var values = new KeyValues(3, 1 << 20, () -> nanos);
        values.set("a", "1", 0);
        values.set("b", "2", 0);
        values.set("c", "3", 0);
        assertEquals("1", values.get("a"));
        values.set("d", "4", 0);
        assertNull(values.get("b"));
        assertEquals("1", values.get("a"));
    }

    @Test
    void bytesAreBounded() {
        var values = new KeyValues(100, 1000, () -> nanos);
        values.set("a", "x".repeat(300), 0);
        values.set("b", "x".repeat(300), 0);
        assertNull(values.get("a"));
        assertThrows(IllegalArgumentException.class, () -> values.set("c", "x".repeat(1000), 0));
        assertEquals(300, values.get("b").length());
        for (int i = 0; i < 1000; i++) {
            values.set("b", "x".repeat(i % 300), 0); // replaced, so it counts once
        }
        values.set("d", "1", 0);
        assertEquals("1", values.get("d"));
        assertEquals(999 % 300, values.get("b").length());
    }

    @Test
    void entriesExpire() {
        var values = new KeyValues(10, 10_000, () -> nanos);
        values.set("a", "1", 2);
        assertEquals(3, values.increment("a", 2, 100)); // keeps its time
        nanos = 1_999_999_999;
        assertEquals("3", values.get("a"));
        nanos = 2_000_000_000;
        assertNull(values.get("a"));
        assertEquals(0.5, values.increment("a", 0.5, 0));
        values.set("text", "\"t\"", 0);
        assertThrows(IllegalArgumentException.class, () -> values.increment("text", 1, 0));
    }
}
