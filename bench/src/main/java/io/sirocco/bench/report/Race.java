// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import java.util.List;
import java.util.Optional;

/**
 * The outcome of a {@code bench compare}: what its JSON file holds, and what tables, pages and
 * plots are made from. Immutable.
 *
 * @param command the command line that makes such a race again
 * @param started when, in ISO 8601 with the offset
 * @param commit of Sirocco, abbreviated, with {@code +} behind it when the tree had changes; empty
 *     outside a checkout
 * @param rounds how often each peer did each work
 * @param seconds how long each time
 * @param peers all that were asked for, those that are absent too; the floor first, then ours
 */
public record Race(
        String command,
        String started,
        String commit,
        int rounds,
        double seconds,
        Machine machine,
        List<Peer> peers,
        List<Work> works) {

    /** Name of the peer that others are measured against: what a minimal C server costs. */
    public static final String FLOOR = "floor";

    /** Name of our own entry: Sirocco on io_uring. */
    public static final String OURS = "sirocco";

    /** Where it was run. */
    public record Machine(
            String cpu, int cores, long memoryBytes, String os, String kernel, String jvm) {}

    /**
     * A server that takes part, or should have.
     *
     * @param language what it is written in, for grouping
     * @param version of the server and of what runs it
     * @param notes what a reader should know, such as fields that it sends on top; may be empty
     * @param absent why it does not take part; empty when it does
     */
    public record Peer(String name, String language, String version, String notes, String absent) {}

    /**
     * One kind of load.
     *
     * @param title for people: "keep-alive, 64 connections"
     * @param text one or two sentences on what is done, and with what command by hand
     * @param unit what a request is, "request" mostly
     * @param standings one for each peer, in the order of {@link Race#peers}
     */
    public record Work(
            String name, String title, String text, String unit, List<Standing> standings) {

        /** More than one {@link #unit}. */
        String units() {
            return unit.endsWith("y") ? unit.substring(0, unit.length() - 1) + "ies" : unit + "s";
        }

        /** How {@code peer} did, unless it took no part in this work. */
        public Optional<Standing> of(String peer) {
            return standings.stream()
                    .filter(s -> s.peer().equals(peer) && !s.rounds().isEmpty())
                    .findFirst();
        }
    }

    /**
     * How one peer did one work.
     *
     * @param absent why there are no rounds: the peer does not do this work, or gave a wrong
     *     answer; empty when there are
     * @param rounds in the order of the race. A peer that fails in one has none after it, so those
     *     of two peers at the same index are of the same round, and are compared
     */
    public record Standing(String peer, String absent, List<Round> rounds) {}

    /**
     * One measurement.
     *
     * @param cpuMicros CPU time of the server for one request, user and system, in microseconds
     * @param requestsPerSecond answers per second
     * @param p50 latency in microseconds; so are p90 to max
     * @param failures requests that failed, or had another status than 2xx
     * @param generatorShare see {@link io.sirocco.bench.Result#generatorShare}
     * @param curve latency by percentile, rising
     * @param perSecond answers in each second of the round
     */
    public record Round(
            double cpuMicros,
            double requestsPerSecond,
            double bytesPerSecond,
            double p50,
            double p90,
            double p99,
            double p999,
            double max,
            long failures,
            double generatorShare,
            List<Point> curve,
            List<Long> perSecond) {}

    /** One point of a latency curve: {@code percent} of the answers came within {@code micros}. */
    public record Point(double percent, double micros) {}
}
