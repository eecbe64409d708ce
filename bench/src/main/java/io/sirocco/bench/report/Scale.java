// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import java.util.ArrayList;
import java.util.List;

/**
 * Where a value lies on an axis. Immutable.
 *
 * @param log whether equal ratios, and not equal differences, are equally far apart
 * @param from value at {@code start}; more than 0 when {@code log}
 * @param start coordinate of {@code from}; {@code end} that of {@code to}
 */
record Scale(boolean log, double from, double to, double start, double end) {
    private static final double[] STEPS = {1, 2, 5};

    /** From 0 to at least {@code most}. */
    static Scale linear(double most, double start, double end) {
        return new Scale(false, 0, most > 0 ? most : 1, start, end);
    }

    /** From the tick below {@code least} to that above {@code most}; both more than 0. */
    static Scale log(double least, double most, double start, double end) {
        double from = below(least);
        return new Scale(true, from, above(Math.max(most, from * 1.5)), start, end);
    }

    double at(double value) {
        double share =
                log
                        ? Math.log(Math.max(value, from) / from) / Math.log(to / from)
                        : (value - from) / (to - from);
        return start + share * (end - start);
    }

    /** Round numbers within, few enough to be labelled. */
    List<Double> ticks() {
        return log ? logTicks() : linearTicks();
    }

    private List<Double> linearTicks() {
        double step = above((to - from) / 5);
        var ticks = new ArrayList<Double>();
        for (long i = Math.round(Math.ceil(from / step)); i * step <= to * 1.0001; i++) {
            ticks.add(i * step);
        }
        return ticks;
    }

    private List<Double> logTicks() {
        boolean all = to / from <= 1100; // three decades
        var ticks = new ArrayList<Double>();
        for (double tick = from; tick <= to * 1.0001; tick = above(tick * 1.01)) {
            if (all || isDecade(tick) || tick == from) {
                ticks.add(tick);
            }
        }
        return ticks;
    }

    private static boolean isDecade(double tick) {
        double log = Math.log10(tick);
        return Math.abs(log - Math.round(log)) < 1e-6;
    }

    /** The next of 1, 2, 5, 10, 20, ... that is not less. */
    static double above(double value) {
        double decade = Math.pow(10, Math.floor(Math.log10(value)));
        for (double step : STEPS) {
            if (value <= step * decade * 1.000001) {
                return step * decade;
            }
        }
        return 10 * decade;
    }

    /** The next of 1, 2, 5, 10, 20, ... that is not more. */
    static double below(double value) {
        double decade = Math.pow(10, Math.floor(Math.log10(value)));
        for (int i = STEPS.length - 1; i >= 0; i--) {
            if (value >= STEPS[i] * decade * 0.999999) {
                return STEPS[i] * decade;
            }
        }
        return decade;
    }
}
