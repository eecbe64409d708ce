// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import io.sirocco.bench.report.Race.Machine;
import io.sirocco.bench.report.Race.Peer;
import io.sirocco.bench.report.Race.Point;
import io.sirocco.bench.report.Race.Round;
import io.sirocco.bench.report.Race.Standing;
import io.sirocco.bench.report.Race.Work;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Races that never happened: figures from a seed, in the manner of real ones. */
final class SampleRace {
    private static final int SECONDS = 5;
    private static final Machine MACHINE =
            new Machine(
                    "Sample CPU @ 2.10GHz",
                    2,
                    24L << 30,
                    "Debian GNU/Linux 12",
                    "6.18.44",
                    "Temurin 25.0.3+9");

    /** A peer, and how many times the CPU of the floor it needs. */
    private record Entry(
            String name, String language, String version, double times, Set<String> without) {}

    private static final List<Entry> ENTRIES =
            List.of(
                    entry("floor", "C", "gcc 12.2", 1, "virtual"),
                    entry("sirocco", "Java", "0.1.0, JDK 25.0.3", 1.02),
                    entry("sirocco-nio", "Java", "0.1.0, JDK 25.0.3", 1.16),
                    entry("nginx", "C", "1.22.1", 1.19, "virtual"),
                    entry("haproxy", "C", "2.6.12", 1.3, "virtual", "files", "files-close"),
                    entry("netty", "Java", "4.2.7, JDK 25.0.3", 1.52),
                    entry("netty-uring", "Java", "4.2.7, JDK 25.0.3", 1.34),
                    entry("vertx", "Java", "5.0.5, JDK 25.0.3", 1.9),
                    entry("undertow", "Java", "2.3.20, JDK 25.0.3", 2.1),
                    entry("jetty", "Java", "12.1.3, JDK 25.0.3", 3.2),
                    entry("helidon", "Java", "4.3.1, JDK 25.0.3", 2.4),
                    entry("tomcat", "Java", "11.0.13, JDK 25.0.3", 3.6),
                    entry("microhttp", "Java", "0.11, JDK 25.0.3", 1.6, "virtual", "files"),
                    entry("node", "JavaScript", "24.11", 9.5, "virtual"),
                    entry("go", "Go", "1.25.4", 3.9),
                    entry("fasthttp", "Go", "1.68.0, Go 1.25.4", 1.75),
                    entry("hyper", "Rust", "1.8.1, tokio 1.48, rustc 1.91", 1.15, "files"));

    /** A work, the floor's CPU, how far the others are apart there, how far the rounds are. */
    private record Kind(String name, String title, double floor, double power, double noise) {}

    private static final List<Kind> KINDS =
            List.of(
                    new Kind("plaintext", "keep-alive, 64 connections", 3.87, 1, 0.02),
                    new Kind("plaintext-512", "keep-alive, 512 connections", 3.69, 1, 0.025),
                    new Kind("pipelined", "sixteen requests in one write", 0.314, 2.4, 0.03),
                    new Kind("churn", "a connection per request, 30 at once", 11.8, 0.6, 0.08),
                    new Kind("churn-1000", "a connection per request, 1000 at once", 14, 0.6, 0.2),
                    new Kind("virtual", "a handler that may block, 64 connections", 4, 1.1, 0.02),
                    new Kind("echo19", "19 bytes, keep-alive, 30 connections", 3.95, 1, 0.02),
                    new Kind("files", "three sizes of files, keep-alive, 50", 31, 0.7, 0.04),
                    new Kind("files-close", "three sizes of files, close, 100", 46, 0.6, 0.06));

    private SampleRace() {}

    private static Entry entry(
            String name, String language, String version, double times, String... without) {
        return new Entry(name, language, version, times, Set.of(without));
    }

    /** 17 peers, 9 works, 5 rounds. */
    static Race full() {
        return race(5, ENTRIES.size(), KINDS.size());
    }

    static Race race(int rounds, int peers, int works) {
        var random = new Random(41);
        var entries = ENTRIES.subList(0, peers);
        return new Race(
                "./sirocco bench compare --work all --peers all --rounds " + rounds,
                "2026-11-21T10:30:00+01:00",
                "5383e4a",
                rounds,
                SECONDS,
                MACHINE,
                entries.stream().map(SampleRace::peer).toList(),
                KINDS.subList(0, works).stream()
                        .map(kind -> work(kind, entries, rounds, random))
                        .toList());
    }

    /** The same race, in which {@code name} could not take part. */
    static Race without(Race race, String name, String reason) {
        var peers =
                race.peers().stream()
                        .map(p -> p.name().equals(name) ? absent(p, reason) : p)
                        .toList();
        var works =
                race.works().stream()
                        .map(
                                w ->
                                        new Work(
                                                w.name(),
                                                w.title(),
                                                w.text(),
                                                w.unit(),
                                                w.standings().stream()
                                                        .map(s -> without(s, name, reason))
                                                        .toList()))
                        .toList();
        return new Race(
                race.command(),
                race.started(),
                race.commit(),
                race.rounds(),
                race.seconds(),
                race.machine(),
                peers,
                works);
    }

    private static Standing without(Standing standing, String name, String reason) {
        return standing.peer().equals(name) ? new Standing(name, reason, List.of()) : standing;
    }

    private static Peer absent(Peer peer, String reason) {
        return new Peer(peer.name(), peer.language(), peer.version(), peer.notes(), reason);
    }

    private static Peer peer(Entry entry) {
        String notes = entry.name().equals("node") ? "sends Connection: keep-alive on top" : "";
        return new Peer(entry.name(), entry.language(), entry.version(), notes, "");
    }

    private static Work work(Kind kind, List<Entry> entries, int rounds, Random random) {
        var standings = new ArrayList<Standing>();
        for (Entry entry : entries) {
            boolean does = !entry.without().contains(kind.name());
            var list = new ArrayList<Round>();
            for (int i = 0; does && i < rounds; i++) {
                list.add(round(kind, entry, random));
            }
            String absent = does ? "" : "it has no way to do this";
            standings.add(new Standing(entry.name(), absent, List.copyOf(list)));
        }
        return new Work(
                kind.name(),
                kind.title(),
                "GET over " + kind.title() + "; by hand: wrk -t1 -c64 -d5s URL/" + kind.name(),
                "request",
                standings);
    }

    private static Round round(Kind kind, Entry entry, Random random) {
        double noise = Math.exp(random.nextGaussian() * kind.noise());
        double cpu = kind.floor() * Math.pow(entry.times(), kind.power()) * noise;
        double rate = Math.min(1e6 / (cpu * 1.03), 1e6 / (kind.floor() * 1.35));
        double p50 = 64e6 / rate * 0.9;
        var curve = new ArrayList<Point>();
        double tail = 1.5 + entry.times() / 4 + random.nextDouble() / 2;
        for (double left = 0.5; left >= 1e-5; left *= 0.8) {
            double micros = p50 * Math.pow(0.5 / left, 0.09 * tail) + 900 * Math.pow(1 - left, 9e3);
            curve.add(
                    new Point(Math.round((1 - left) * 1e7) / 1e5, Math.round(micros * 10) / 10.0));
        }
        var perSecond = new ArrayList<Long>();
        for (int i = 0; i < SECONDS; i++) {
            perSecond.add(Math.round(rate * (1 + random.nextGaussian() * kind.noise() / 2)));
        }
        long failures = kind.name().equals("churn-1000") && entry.name().equals("node") ? 17 : 0;
        return new Round(
                cpu,
                rate,
                rate * 150,
                p50,
                at(curve, 90),
                at(curve, 99),
                at(curve, 99.9),
                curve.getLast().micros() * 1.5,
                failures,
                entry.times() < 1.3 && kind.power() <= 1 ? 0.96 : 0.6,
                List.copyOf(curve),
                List.copyOf(perSecond));
    }

    private static double at(List<Point> curve, double percent) {
        return curve.stream()
                .filter(p -> p.percent() >= percent)
                .findFirst()
                .orElseThrow()
                .micros();
    }
}
