// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import io.sirocco.bench.Result;
import io.sirocco.bench.report.Race.Point;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.AbstractHistogram;

/**
 * Points of a latency curve: from the median outwards, each step leaves out a fifth of the answers
 * that the last one left. Any thread.
 */
final class LatencyCurve {
    private static final double STEP = 0.8;

    private LatencyCurve() {}

    /**
     * In microseconds, from 50 % as far as there are answers beyond, 99.999 % at most, and 100 %;
     * empty when nothing was answered.
     */
    public static List<Point> of(Result result) {
        AbstractHistogram latency = result.latency();
        long count = latency.getTotalCount();
        var points = new ArrayList<Point>();
        for (double left = 0.5; left * count >= 1 && left >= 1e-5; left *= STEP) {
            double percent = Math.round((1 - left) * 1e7) / 1e5;
            points.add(new Point(percent, latency.getValueAtPercentile(percent) / 1e3));
        }
        if (count > 0) {
            points.add(new Point(100, latency.getMaxValue() / 1e3));
        }
        return List.copyOf(points);
    }
}
