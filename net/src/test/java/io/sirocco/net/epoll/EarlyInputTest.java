// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.epoll;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class EarlyInputTest {
    private final EarlyInput early = new EarlyInput();

    /** Accepts {@code count} connections; returns of how many input is expected. */
    private long expectedOf(int count, boolean there) {
        return IntStream.range(0, count)
                .filter(
                        _ -> {
                            boolean expected = early.isExpected();
                            if (expected) {
                                early.was(there);
                            }
                            return expected;
                        })
                .count();
    }

    @Test
    void whileItIsThereItIsExpected() {
        assertEquals(1_000, expectedOf(1_000, true));
    }

    @Test
    void whenItNeverIsFewConnectionsAreReadForNothing() {
        expectedOf(100, false);
        long tried = expectedOf(1_600, false);
        assertEquals(100, tried);
    }

    @Test
    void whenItIsThereAgainThatIsNoticed() {
        expectedOf(1_000, false);
        expectedOf(100, true);
        assertEquals(100, expectedOf(100, true));
    }

    @Test
    void oneConnectionWithoutInputChangesNothing() {
        expectedOf(100, true);
        expectedOf(1, false);
        assertTrue(early.isExpected());
    }
}
