// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.bench.hold.ServerCost;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** What a server cost, as {@code bench hold} and {@code bench live} say it. */
class SummaryTest {
    private static final long MIB = 1 << 20;

    private static String text(ServerCost cost, long count) {
        var summary = new Summary(13);
        summary.server(cost, "request", count, bytes -> bytes + " B more");
        return summary.toString();
    }

    @Test
    void aJvmThatWasLookedAtWhileNobodyAsked() {
        var heap = OptionalLong.of(9 * MIB);
        var cost =
                new ServerCost(
                        List.of(7L, 1_234L),
                        OptionalLong.of(9 * MIB - 5),
                        heap,
                        2_000 * MIB,
                        1_900 * MIB,
                        2_100 * MIB,
                        1_049,
                        1.5,
                        0.5,
                        0.125,
                        OptionalDouble.of(0.0011));
        assertEquals(
                """
                server       process 7, 1234, 1,049 descriptors
                  heap       9.0 MiB live, 9.0 MiB before: 5 B more
                  RSS        1,900.0 MiB, 2,100.0 MiB at most, 2,000.0 MiB before: -104857600 B more
                  CPU        20.0 µs per request (15.0 user, 5.0 system); 12.5 % of a core, idle 0.1 %
                """,
                text(cost, 100_000));
    }

    @Test
    void whatIsNotKnownIsLeftOut() {
        var none = OptionalLong.empty();
        var cost =
                new ServerCost(
                        List.of(7L), none, none, 0, 0, 0, 3, 1, 1, 0, OptionalDouble.empty());
        assertEquals(
                """
                server       process 7, 3 descriptors
                  RSS        0.0 MiB, 0.0 MiB at most, 0.0 MiB before: 0 B more
                  CPU        0.0 µs per request (0.0 user, 0.0 system); 0.0 % of a core
                """,
                text(cost, 0));
    }
}
