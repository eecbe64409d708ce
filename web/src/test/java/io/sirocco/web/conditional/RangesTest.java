// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.conditional;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RangesTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "bytes=0-9           | 0-9",
                "bytes=0-0           | 0-0",
                "BYTES=0-9           | 0-9",
                "bytes=-5            | 95-99",
                "bytes=-500          | 0-99",
                "bytes=90-1000       | 90-99",
                "bytes=99-           | 99-99",
                "bytes=0-18446744073709551616 | 0-99",
                "bytes=0-1,5-6       | 0-1 5-6",
                "bytes=5-6,0-1       | 5-6 0-1",
                "bytes=0-1 , , 5-6   | 0-1 5-6",
                "bytes=0-5,3-8       | 0-8",
                "bytes=0-5,6-8       | 0-8",
                "bytes=0-1,4-5,2-3   | 0-5",
                "bytes=10-11,0-1,11-12,1-2 | 10-12 0-2",
                "bytes=0-1,100-      | 0-1",
                "bytes=0-1,-0        | 0-1",
                "bytes=0-,-1         | 0-99",
                "bytes=100-          | none",
                "bytes=100-200       | none",
                "bytes=-0            | none",
                "bytes=9223372036854775808- | none",
                "bytes=18446744073709551616-18446744073709551617 | none",
                "bytes=              | all",
                "bytes=,             | all",
                "bytes               | all",
                "bytes=5             | all",
                "bytes=-             | all",
                "bytes=5-4           | all",
                "bytes=0-1,5-4       | all",
                "bytes=a-b           | all",
                "bytes=+1-2          | all",
                "bytes=--1           | all",
                "bytes=1-2-3         | all",
                "bytes=1 - 2         | all",
                "bytes = 5-          | all",
                "bytes =5-           | all",
                "bytes= 0-1          | all",
                "bytes=0x1-2         | all",
                "items=0-9           | all",
                "bytes=0-0,2-2,4-4,6-6,8-8 | all",
            })
    void readsWhatIsAskedOfAHundredBytes(String field, String expected) {
        assertEquals(expected, text(Ranges.parse(field, 100, 4)), field);
    }

    @ParameterizedTest
    @CsvSource({"bytes=0-, none", "bytes=0-0, none", "bytes=-1, all", "bytes=-0, none"})
    void nothingHasNoParts(String field, String expected) {
        assertEquals(expected, text(Ranges.parse(field, 0, 4)), field);
    }

    private static String text(Ranges ranges) {
        return switch (ranges) {
            case Ranges.All _ -> "all";
            case Ranges.None _ -> "none";
            case Ranges.Some(List<ByteRange> some) ->
                    String.join(" ", some.stream().map(r -> r.first() + "-" + r.last()).toList());
        };
    }

    /** Whatever is asked for, each byte of it is sent once, and no other. */
    @Test
    void coalescedRangesAreTheSameBytes() {
        var random = new Random(9110);
        for (int round = 0; round < 5_000; round++) {
            int size = 1 + random.nextInt(40);
            var wanted = new BitSet();
            var field = new StringBuilder("bytes=");
            for (int n = 1 + random.nextInt(8); n > 0; n--) {
                int first = random.nextInt(size);
                int last = first + random.nextInt(size - first);
                wanted.set(first, last + 1);
                field.append(first).append('-').append(last).append(',');
            }
            var some = assertInstanceOf(Ranges.Some.class, Ranges.parse(field + "", size, 8));
            var sent = new BitSet();
            for (ByteRange range : some.ranges()) {
                int before = sent.cardinality();
                sent.set((int) range.first(), (int) range.last() + 1);
                assertEquals(range.length(), sent.cardinality() - before, field + " twice");
            }
            assertEquals(wanted, sent, field.toString());
            for (ByteRange a : some.ranges()) {
                for (ByteRange b : some.ranges()) {
                    assertTrue(a == b || !a.touches(b), field.toString());
                }
            }
        }
    }
}
