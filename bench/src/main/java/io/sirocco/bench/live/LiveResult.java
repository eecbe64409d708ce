// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

import io.sirocco.bench.Failure;
import io.sirocco.bench.Result;
import io.sirocco.bench.hold.ServerCost;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.HdrHistogram.AbstractHistogram;

/**
 * What was measured. Immutable; histograms must not be changed.
 *
 * @param figures of what {@code work} counts: of CONNECT each client, from when it was its turn to
 *     the answer to its CONNECT; of ECHO each round trip; of FANOUT each delivery, from when its
 *     message was to be published
 * @param firsts how the first of each kind of failure came about
 * @param opening how the clients came in
 * @param fanout of FANOUT
 * @param holding of FANOUT, when the receivers were idle for a time
 * @param server what it used, if its process could be looked at; per client means those who were
 *     there at the end
 * @param cpuMicros by what {@link LivePlan#cpuMicros} grew while the figures were measured
 */
public record LiveResult(
        LiveWork work,
        Result figures,
        Map<Failure, String> firsts,
        Opening opening,
        Optional<Deliveries> fanout,
        Optional<Holding> holding,
        Optional<ServerCost> server,
        long cpuMicros) {

    /**
     * How clients came in.
     *
     * @param wanted how many there were to be
     * @param ready how many have become ready, the last time
     * @param held how many of them were still there when they were told to go
     * @param times how long all took, each time, from the first to the last
     * @param latency of each, in nanoseconds, of all times
     * @param tickets how much of that the ticket took, of those who fetched one
     */
    public record Opening(
            int wanted,
            int ready,
            int held,
            List<Duration> times,
            AbstractHistogram latency,
            AbstractHistogram tickets) {}

    /**
     * What became of the messages.
     *
     * @param receivers who did not stall, at the beginning
     * @param published messages that were measured
     * @param delivered of those, to receivers who did not stall
     * @param stalled receivers who did
     * @param stalledGot what these had got of all in the end
     * @param stalledCut how many of them the server has cut off
     */
    public record Deliveries(
            int receivers,
            long published,
            long delivered,
            int stalled,
            long stalledGot,
            int stalledCut) {}

    /**
     * How it was while the receivers of a fan-out were idle.
     *
     * @param time for how long they were
     * @param probes how long echoes took that others asked for, from when they were due, in
     *     nanoseconds
     * @param meanwhile the same while messages were published
     * @param server what it used, and what its memory grew by from the first client on
     */
    public record Holding(
            Duration time,
            AbstractHistogram probes,
            AbstractHistogram meanwhile,
            Optional<ServerCost> server) {}

    /** Whether nothing has failed. */
    public boolean clean() {
        return figures.failed() == 0 && figures.requests() > 0;
    }
}
