// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import com.fasterxml.jackson.annotation.JsonFormat;
import io.sirocco.bench.Failure;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.AbstractHistogram;
import tools.jackson.core.util.DefaultIndenter;
import tools.jackson.core.util.DefaultPrettyPrinter;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * How reports write JSON: indented, members in the order of the record's components. Any thread.
 */
final class Json {
    /** A curve has dozens of points: each is an array, and all of them are on one line. */
    @JsonFormat(shape = JsonFormat.Shape.ARRAY)
    private interface AsArray {}

    static final JsonMapper MAPPER =
            JsonMapper.builder()
                    .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
                    .enable(SerializationFeature.INDENT_OUTPUT)
                    .defaultPrettyPrinter(
                            new DefaultPrettyPrinter()
                                    .withObjectIndenter(new DefaultIndenter("  ", "\n")))
                    .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
                    .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
                    .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                    .addMixIn(Race.Point.class, AsArray.class)
                    .build();

    /** Latencies in microseconds; all are 0 when there are none. */
    record Latency(double mean, double p50, double p90, double p99, double p999, double max) {

        static Latency of(AbstractHistogram nanos) {
            return new Latency(
                    nanos.getTotalCount() == 0 ? 0 : rounded(nanos.getMean() / 1e3),
                    at(nanos, 50),
                    at(nanos, 90),
                    at(nanos, 99),
                    at(nanos, 99.9),
                    at(nanos, 100));
        }

        private static double at(AbstractHistogram nanos, double percent) {
            return nanos.getTotalCount() == 0 ? 0 : nanos.getValueAtPercentile(percent) / 1e3;
        }
    }

    private Json() {}

    /** By the names that failures have in JSON, in their order. */
    static <T> Map<String, T> named(Map<Failure, T> failures) {
        var named = new TreeMap<String, T>();
        failures.forEach((kind, what) -> named.put(kind.name().toLowerCase(Locale.ROOT), what));
        return named;
    }

    static double rounded(double value) {
        return Math.round(value * 1e3) / 1e3;
    }
}
