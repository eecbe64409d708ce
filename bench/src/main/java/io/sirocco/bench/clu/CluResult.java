// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.clu;

import java.util.List;
import java.util.OptionalDouble;
import org.HdrHistogram.AbstractHistogram;

/**
 * The figures of a load on a controller. Immutable; histograms must not be changed.
 *
 * @param runs each time
 * @param value the value that the script had
 */
public record CluResult(List<Run> runs, String value) {
    /**
     * One time.
     *
     * @param seconds how long it took
     * @param responses right ones
     * @param lost requests without a response in time
     * @param wrong responses with another session or value
     * @param latency of right responses, in nanoseconds
     * @param cpuMicros CPU time of the controller for each response, if its process is known
     */
    public record Run(
            double seconds,
            long responses,
            long lost,
            long wrong,
            AbstractHistogram latency,
            OptionalDouble cpuMicros) {
        /** Returns responses per second. */
        public double rate() {
            return responses / seconds;
        }
    }

    /** Returns whether no request was lost and no response wrong. */
    public boolean clean() {
        return runs.stream().allMatch(run -> run.lost == 0 && run.wrong == 0 && run.responses > 0);
    }
}
