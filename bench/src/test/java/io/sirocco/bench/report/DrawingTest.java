// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Labels, scales, units and markup. */
class DrawingTest {
    @Test
    void labelsThatHaveRoomStayWhereTheyAre() {
        assertArrayEquals(
                new double[] {50, 10, 90}, Labels.spread(new double[] {50, 10, 90}, 12, 0, 100));
    }

    @Test
    void labelsThatCollideAreSpreadAroundTheirMiddle() {
        assertArrayEquals(new double[] {44, 56}, Labels.spread(new double[] {50, 50}, 12, 0, 100));
        assertArrayEquals(new double[] {100, 88}, Labels.spread(new double[] {99, 98}, 12, 0, 100));
    }

    @Test
    void eighteenLabelsNeverOverlapAndKeepTheirOrder() {
        var random = new Random(3);
        for (int run = 0; run < 200; run++) {
            double[] wanted = random.doubles(18, 0, 240).map(y -> y * y / 240).toArray();
            double[] places = Labels.spread(wanted, 13, 0, 240);
            for (int a = 0; a < 18; a++) {
                assertTrue(places[a] >= -1e-9 && places[a] <= 240 + 1e-9);
                for (int b = 0; b < 18; b++) {
                    if (wanted[a] < wanted[b]) {
                        assertTrue(places[b] - places[a] >= 13 - 1e-9);
                    }
                }
            }
        }
    }

    @Test
    void ticksAreRoundNumbers() {
        assertEquals(List.of(0.0, 20.0, 40.0, 60.0, 80.0), Scale.linear(97, 0, 1).ticks());
        assertEquals(List.of(50.0, 100.0, 200.0, 500.0, 1000.0), Scale.log(61, 880, 0, 1).ticks());
        assertEquals(List.of(2.0, 10.0, 100.0, 1000.0, 10000.0), Scale.log(3, 8000, 0, 1).ticks());
        assertEquals(0.5, Scale.log(1, 100, 0, 1).at(10), 1e-9);
        assertTrue(Scale.log(10, 10, 0, 1).at(10) >= 0);
    }

    @Test
    void unitsKeepThreeDigits() {
        assertEquals(
                List.of(
                        "0", "850 ns", "3.91 µs", "999 µs", "1.00 ms", "12.3 ms", "1.00 s",
                        "62.0 s"),
                List.of(0.0, 0.85, 3.914, 999.4, 999.6, 12_345.0, 999_999.0, 62e6).stream()
                        .map(Units::time)
                        .toList());
        assertEquals(
                List.of("0.314", "1.00", "9.99", "10.0", "100", "1,235"),
                List.of(0.314, 0.9996, 9.994, 9.996, 99.96, 1234.5678).stream()
                        .map(Units::figure)
                        .toList());
        assertEquals(
                List.of("0 B", "999 B", "1.00 KB", "12.3 MB"),
                List.of(0.0, 999.0, 1000.0, 12.3e6).stream().map(Units::bytes).toList());
        assertEquals(
                List.of("20 µs", "2.5 ms", "1 s"),
                List.of(20.0, 2500.0, 1e6).stream().map(Units::tick).toList());
        assertEquals("24 GiB", Units.memory(24L << 30));
    }

    @Test
    void markupIsEscapedAndClosed() {
        var markup = new Markup().open("p", "title", "\"<&").text("a<b\u0001\ud83d\ude00").close();
        assertEquals(
                "<p title=\"&quot;&lt;&amp;\">a&lt;b\ufffd\ud83d\ude00</p>", markup.toString());
        assertThrows(IllegalStateException.class, () -> new Markup().open("p").toString());
        assertThrows(IllegalArgumentException.class, () -> new Markup().style("a<b"));
    }

    @Test
    void aTitleThatIsTooLongIsCut() {
        assertEquals("abc", Labels.fit("abc", 100, 12));
        String cut = Labels.fit("a".repeat(100), 100, 12);
        assertTrue(cut.endsWith("…") && cut.length() < 16, cut);
        assertEquals(0, Arrays.stream(Labels.spread(new double[0], 1, 0, 1)).sum());
    }
}
