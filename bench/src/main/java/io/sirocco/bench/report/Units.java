// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import java.math.BigDecimal;
import java.util.Locale;

/**
 * Figures as people read them: three digits that matter, and the unit that keeps them short. Any
 * thread.
 */
public final class Units {
    private static final String[] SIZES = {"B", "KB", "MB", "GB", "TB"};

    private Units() {}

    /** Three digits: 0.314, 3.91, 12.5, 1,234. */
    static String figure(double value) {
        double size = Math.abs(value);
        String format =
                size < 0.9995 ? "%.3f" : size < 9.995 ? "%.2f" : size < 99.95 ? "%.1f" : "%,.0f";
        return String.format(Locale.ROOT, format, value);
    }

    /** A count, or a rate of which fractions say nothing: 1,234,567. */
    static String count(double value) {
        return String.format(Locale.ROOT, "%,.0f", value);
    }

    /** A ratio: 1.02, 12.3, 123. */
    static String times(double value) {
        String format = value < 9.995 ? "%.2f" : value < 99.95 ? "%.1f" : "%,.0f";
        return String.format(Locale.ROOT, format, value);
    }

    /** Microseconds as a time: 850 ns, 3.91 µs, 1.20 ms, 2.00 s. */
    public static String time(double micros) {
        if (micros == 0) {
            return "0";
        }
        if (micros < 0.9995) {
            return count(micros * 1e3) + " ns";
        }
        if (micros < 999.5) {
            return figure(micros) + " µs";
        }
        return micros < 999_500 ? figure(micros / 1e3) + " ms" : figure(micros / 1e6) + " s";
    }

    /** A time at a tick of an axis, without the digits that are 0: 20 µs, 1 ms. */
    static String tick(double micros) {
        return time(micros).replaceFirst("\\.0+ ", " ").replaceFirst("(\\.\\d*?)0+ ", "$1 ");
    }

    /** A number at a tick, without digits that are 0: 2.5. */
    static String plain(double value) {
        return new BigDecimal(figure(value).replace(",", "")).stripTrailingZeros().toPlainString();
    }

    /** A large number at a tick: 250k, 1.5M. */
    static String si(double value) {
        if (value >= 1e6) {
            return plain(value / 1e6) + "M";
        }
        return value >= 1e4 ? plain(value / 1e3) + "k" : plain(value);
    }

    /** Bytes by powers of ten, as networks count them: 1.23 MB. */
    static String bytes(double bytes) {
        int size = 0;
        double left = bytes;
        while (left >= 999.5 && size < SIZES.length - 1) {
            left /= 1e3;
            size++;
        }
        return (size == 0 ? count(left) : figure(left)) + " " + SIZES[size];
    }

    /** Memory by powers of two: 24 GiB. */
    static String memory(long bytes) {
        double gibibytes = bytes / (double) (1L << 30);
        return gibibytes >= 1 ? count(gibibytes) + " GiB" : count(bytes / 1048576.0) + " MiB";
    }

    /** A share as a percentage: 93 %. */
    static String percent(double share) {
        return count(share * 100) + " %";
    }
}
