// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.metrics;

import java.util.Arrays;

/**
 * Writes metrics in the text format of Prometheus, version 0.0.4: families one after the other,
 * each with its samples.
 *
 * <pre>
 * # HELP sirocco_http_requests_total Requests that were answered.
 * # TYPE sirocco_http_requests_total counter
 * sirocco_http_requests_total{route="/hello/{name}",method="GET",status="200"} 12
 * </pre>
 *
 * Used by one thread.
 */
public final class Exposition {
    /** The media type of the text. */
    public static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final StringBuilder text = new StringBuilder(16 << 10);
    private String family = "";

    /** Nothing yet. */
    public Exposition() {}

    /** Begins a family of counters, whose name should end with {@code _total}. */
    public Exposition counter(String name, String help) {
        return family(name, "counter", help);
    }

    /** Begins a family of gauges. */
    public Exposition gauge(String name, String help) {
        return family(name, "gauge", help);
    }

    /** Begins a family of histograms. */
    public Exposition histogram(String name, String help) {
        return family(name, "histogram", help);
    }

    private Exposition family(String name, String type, String help) {
        family = name;
        text.append("# HELP ").append(name).append(' ');
        escape(help, false);
        text.append("\n# TYPE ").append(name).append(' ').append(type).append('\n');
        return this;
    }

    /** A sample of the family; labels are names and values by turns. */
    public Exposition sample(double value, String... labels) {
        return line("", value, labels);
    }

    /** The samples of one histogram, in seconds. */
    public Exposition sample(Latency latency, String... labels) {
        int bounds = Latency.bounds().size();
        String[] bucket = Arrays.copyOf(labels, labels.length + 2);
        bucket[labels.length] = "le";
        for (int i = 0; i <= bounds; i++) {
            bucket[labels.length + 1] =
                    i == bounds ? "+Inf" : number(Latency.bounds().get(i) / 1e9);
            line("_bucket", latency.upTo(i), bucket);
        }
        line("_sum", latency.nanos() / 1e9, labels);
        return line("_count", latency.count(), labels);
    }

    private Exposition line(String suffix, double value, String... labels) {
        text.append(family).append(suffix);
        for (int i = 0; i < labels.length; i += 2) {
            text.append(i == 0 ? '{' : ',').append(labels[i]).append("=\"");
            escape(labels[i + 1], true);
            text.append('"');
        }
        text.append(labels.length == 0 ? " " : "} ").append(number(value)).append('\n');
        return this;
    }

    /**
     * Formats the shortest exact decimal, without an exponent. It moves the decimal point itself,
     * since BigDecimal takes 20 ms of CPU time to load.
     */
    static String number(double value) {
        if (Double.isNaN(value)) return "NaN";
        if (Double.isInfinite(value)) return value > 0 ? "+Inf" : "-Inf";
        String shortest = Double.toString(Math.abs(value)); // such as 1.25, 1.25E-4, 3.0E9
        int exponent = shortest.indexOf('E');
        int shift = exponent < 0 ? 0 : Integer.parseInt(shortest.substring(exponent + 1));
        String mantissa = exponent < 0 ? shortest : shortest.substring(0, exponent);
        int point = mantissa.indexOf('.');
        String digits = mantissa.substring(0, point) + mantissa.substring(point + 1);
        point += shift;
        if (point <= 0) digits = "0".repeat(1 - point) + digits;
        point = Math.max(point, 1);
        if (point > digits.length()) digits += "0".repeat(point - digits.length());
        int end = digits.length();
        while (end > point && digits.charAt(end - 1) == '0') end--;
        String whole = digits.substring(0, point);
        String plain = end == point ? whole : whole + '.' + digits.substring(point, end);
        return value < 0 ? '-' + plain : plain;
    }

    private void escape(String value, boolean quoted) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '\\' -> text.append("\\\\");
                case '\n' -> text.append("\\n");
                case '"' -> text.append(quoted ? "\\\"" : "\"");
                default -> text.append(c);
            }
        }
    }

    /** The text so far. */
    @Override
    public String toString() {
        return text.toString();
    }
}
