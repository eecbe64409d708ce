// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigDecimal;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The text form; that others can read it is proved by the tests of the admin server. */
class ExpositionTest {

    @Test
    void aFamilyHasItsHelpItsTypeAndItsSamples() {
        var text = new Exposition();
        text.counter("a_total", "Back\\slash, \"quotes\"\nand a line.")
                .sample(3)
                .sample(0.25, "x", "1")
                .gauge("b", "B.")
                .sample(1e16, "path", "C:\\\"x\"\n", "y", "ü");
        assertEquals(
                """
                # HELP a_total Back\\\\slash, "quotes"\\nand a line.
                # TYPE a_total counter
                a_total 3
                a_total{x="1"} 0.25
                # HELP b B.
                # TYPE b gauge
                b{path="C:\\\\\\"x\\"\\n",y="ü"} 10000000000000000
                """,
                text.toString());
    }

    @Test
    void aNumberHasNoExponentAndLosesNothing() {
        var random = new Random(6);
        for (int i = 0; i < 10_000; i++) {
            double value = random.nextGaussian() * Math.pow(10, random.nextInt(-20, 20));
            if (i % 3 == 0) value = Math.rint(value);
            BigDecimal exact = BigDecimal.valueOf(value).stripTrailingZeros();
            assertEquals(exact.toPlainString(), Exposition.number(value));
        }
        assertEquals("NaN", Exposition.number(Double.NaN));
        assertEquals("-Inf", Exposition.number(Double.NEGATIVE_INFINITY));
        assertEquals("0", Exposition.number(0));
        assertEquals("0", Exposition.number(-0.0));
        assertEquals("0.0001", Exposition.number(1e-4));
        assertEquals("1764239753.25", Exposition.number(1_764_239_753.25));
    }

    @Test
    void aHistogramIsCumulative() {
        var bounds = new long[Latencies.BOUNDS.length + 1];
        bounds[0] = 5;
        bounds[2] = 1;
        bounds[bounds.length - 1] = 2;
        var latency = new Latency(bounds, new long[Latencies.FINE], 61_000_000_000L);
        String text = new Exposition().histogram("s", "S.").sample(latency, "r", "/").toString();
        assertEquals(
                """
                # HELP s S.
                # TYPE s histogram
                s_bucket{r="/",le="0.0001"} 5
                s_bucket{r="/",le="0.00025"} 5
                s_bucket{r="/",le="0.0005"} 6
                """,
                text.substring(0, text.indexOf("s_bucket{r=\"/\",le=\"0.001\"")));
        assertEquals(
                """
                s_bucket{r="/",le="30"} 6
                s_bucket{r="/",le="+Inf"} 8
                s_sum{r="/"} 61
                s_count{r="/"} 8
                """,
                text.substring(text.indexOf("s_bucket{r=\"/\",le=\"30\"")));
    }
}
