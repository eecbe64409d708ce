// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.epoll;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class EarlyInputTest {
    private final EarlyInput early = new EarlyInput();

    /** Accepts {@code count} connections; returns how many are read first. */
    private long triedOf(int count, boolean there) {
        return IntStream.range(0, count)
                .filter(
                        _ -> {
                            boolean tried = early.shouldTry();
                            if (tried) {
                                early.record(there);
                            }
                            return tried;
                        })
                .count();
    }

    @Test
    void whileThereIsInputEachConnectionIsReadFirst() {
        assertEquals(1_000, triedOf(1_000, true));
    }

    @Test
    void withoutInputFewConnectionsAreReadInVain() {
        triedOf(100, false);
        long tried = triedOf(1_600, false);
        assertEquals(100, tried);
    }

    @Test
    void inputThatComesEarlyAgainIsNoticed() {
        triedOf(1_000, false);
        triedOf(100, true);
        assertEquals(100, triedOf(100, true));
    }

    @Test
    void oneConnectionWithoutInputChangesNothing() {
        triedOf(100, true);
        triedOf(1, false);
        assertTrue(early.shouldTry());
    }
}
