// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import io.sirocco.bench.report.Race.Machine;
import io.sirocco.bench.report.Race.Peer;
import io.sirocco.bench.report.Race.Point;
import io.sirocco.bench.report.Race.Round;
import io.sirocco.bench.report.Race.Standing;
import io.sirocco.bench.report.Race.Work;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Races small enough to be computed by hand. */
final class SmallRace {
    static final Machine MACHINE =
            new Machine("Abacus 1", 2, 24L << 30, "Debian 12", "6.18.44", "Temurin 25");

    private SmallRace() {}

    static Race of(List<Peer> peers, Work... works) {
        return new Race(
                "./sirocco bench compare",
                "2026-11-21T10:30:00Z",
                "abc1234",
                3,
                2,
                MACHINE,
                peers,
                List.of(works));
    }

    static List<Peer> peers(String... names) {
        return Arrays.stream(names).map(n -> new Peer(n, "C", n + " 1.0", "", "")).toList();
    }

    static Work work(String name, Standing... standings) {
        return new Work(name, name + " title", "What is done.", "request", List.of(standings));
    }

    /** Rounds with this CPU time; a request per second is worth 200,000 µs of it. */
    static Standing standing(String peer, double... cpuMicros) {
        var rounds = new ArrayList<Round>();
        for (double cpu : cpuMicros) {
            rounds.add(round(cpu, 200_000 / cpu, 0));
        }
        return new Standing(peer, "", List.copyOf(rounds));
    }

    static Round round(double cpu, double rate, long failures) {
        return new Round(
                cpu,
                rate,
                rate * 100,
                cpu * 10,
                cpu * 20,
                cpu * 40,
                cpu * 400,
                cpu * 1000,
                failures,
                0.5,
                List.of(new Point(50, cpu * 10), new Point(99, cpu * 40)),
                List.of(Math.round(rate), Math.round(rate)));
    }

    static Standing absent(String peer, String reason) {
        return new Standing(peer, reason, List.of());
    }
}
