// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import io.sirocco.bench.clu.CluResult;
import io.sirocco.bench.clu.CluResult.Run;
import java.util.List;

/** A {@link CluResult} as JSON, for {@code bench clu --json}: one object. Any thread. */
public final class CluJson {
    /** The members, in their order. */
    private record Form(String value, List<Time> runs) {}

    private record Time(
            double seconds,
            long responses,
            double perSecond,
            long lost,
            long wrong,
            Json.Latency latencyMicros,
            Double cpuMicrosPerResponse) {
        static Time of(Run run) {
            return new Time(
                    run.seconds(),
                    run.responses(),
                    run.rate(),
                    run.lost(),
                    run.wrong(),
                    Json.Latency.of(run.latency()),
                    run.cpuMicros().isPresent() ? run.cpuMicros().getAsDouble() : null);
        }
    }

    private CluJson() {}

    /** Returns the object, with a line feed at its end. */
    public static String write(CluResult result) {
        var form = new Form(result.value(), result.runs().stream().map(Time::of).toList());
        return Json.MAPPER.writeValueAsString(form) + "\n";
    }
}
