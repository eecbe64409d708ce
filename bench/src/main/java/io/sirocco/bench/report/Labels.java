// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import java.util.Arrays;
import java.util.stream.IntStream;

/** Places labels beside a line of points so that none covers another. */
final class Labels {
    private Labels() {}

    /**
     * Where each label goes: at least {@code gap} apart, from {@code top} to {@code bottom}, in the
     * order of the places that are wanted, and in sum of squares as close to those as can be:
     * isotonic regression, by pooling those that collide.
     */
    static double[] spread(double[] wanted, double gap, double top, double bottom) {
        int n = wanted.length;
        int[] order =
                IntStream.range(0, n)
                        .boxed()
                        .sorted((a, b) -> Double.compare(wanted[a], wanted[b]))
                        .mapToInt(Integer::intValue)
                        .toArray();
        // Without the gaps, places must only not fall. A pool is a mean and how many share it.
        var mean = new double[n];
        var size = new int[n];
        int pools = 0;
        for (int i = 0; i < n; i++) {
            mean[pools] = wanted[order[i]] - i * gap;
            size[pools++] = 1;
            while (pools > 1 && mean[pools - 2] > mean[pools - 1]) {
                int both = size[pools - 2] + size[pools - 1];
                mean[pools - 2] =
                        (mean[pools - 2] * size[pools - 2] + mean[pools - 1] * size[pools - 1])
                                / both;
                size[pools - 2] = both;
                pools--;
            }
        }
        double last = Math.max(top, bottom - (n - 1) * gap);
        var places = new double[n];
        int next = 0;
        for (int pool = 0; pool < pools; pool++) {
            double at = Math.clamp(mean[pool], top, last);
            for (int i = 0; i < size[pool]; i++, next++) {
                places[order[next]] = at + next * gap;
            }
        }
        return places;
    }

    /** {@code text}, cut to what fits into {@code width} when its letters are {@code size} high. */
    static String fit(String text, double width, double size) {
        int most = (int) (width / (size * 0.56));
        int[] points = text.codePoints().toArray();
        return points.length <= most
                ? text
                : new String(Arrays.copyOf(points, most - 1), 0, most - 1).stripTrailing() + "…";
    }
}
