// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import static io.sirocco.bench.report.Target.Bound.AT_LEAST;
import static io.sirocco.bench.report.Target.Bound.AT_MOST;

import io.sirocco.bench.report.Race.Round;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** What the design promises, as ratios of one race. */
final class Targets {
    /** Of these the better one counts. */
    private static final String[] NETTY = {"netty", "netty-uring"};

    private static final String[] PROXIES = {"nginx", "haproxy", "varnish", "caddy"};

    /** The floor whose files are on disk; the other writes them from its memory. */
    private static final String SENDFILE = "floor-sendfile";

    private Targets() {}

    /** Those of works that the race had. */
    static List<Target> of(Race race) {
        return all().stream()
                .filter(
                        target ->
                                race.works().stream()
                                        .anyMatch(w -> target.text().startsWith(w.name() + ":")))
                .toList();
    }

    static List<Target> all() {
        var targets = new ArrayList<Target>();
        for (String work : List.of("plaintext", "plaintext-512")) {
            targets.add(floor(work, 1.05));
            targets.add(rival(work, 1.25, "nginx", "nginx"));
            targets.add(rival(work, 1.3, "best Netty", NETTY));
        }
        targets.add(virtual());
        targets.add(rival("virtual", 1.8, "Helidon", "helidon"));
        targets.add(floor("pipelined", 1.1));
        targets.add(rival("pipelined", 10, "nginx", "nginx"));
        targets.add(rival("pipelined", 3, "best Netty", NETTY));
        for (String work : List.of("churn", "churn-1000")) {
            targets.add(floorWithoutFailure(work, 1.05));
        }
        for (String work : List.of("files", "files-close")) {
            targets.add(rival(work, 1, "nginx", "nginx"));
            targets.add(floor(work, 1.15, SENDFILE));
        }
        targets.add(rate("assets", 1.5, "nginx"));
        for (String work : List.of("proxy-small", "proxy-100k", "proxy-cached")) {
            targets.add(rival(work, 1.25, "best proxy", PROXIES));
            targets.add(fastest(work, PROXIES));
        }
        targets.add(rival("live-fanout", 3, "Socket.IO", "socketio"));
        targets.add(rival("live-fanout", 3, "netty-socketio", "netty-socketio"));
        return targets;
    }

    private static Target floor(String work, double limit) {
        return floor(work, limit, Race.FLOOR);
    }

    private static Target floor(String work, double limit, String floor) {
        return new Target(
                work + ": CPU, ours / " + floor,
                AT_MOST,
                limit,
                race -> ratio(race, Figure.CPU, work, floor, Race.OURS),
                _ -> Optional.empty(),
                _ -> 0L,
                _ -> false);
    }

    private static Target floorWithoutFailure(String work, double limit) {
        return new Target(
                work + ": CPU, ours / floor, and no failure",
                AT_MOST,
                limit,
                race -> ratio(race, Figure.CPU, work, Race.FLOOR, Race.OURS),
                _ -> Optional.empty(),
                race -> ours(race, work).map(Place::failures).orElse(0L),
                _ -> false);
    }

    private static Target rival(String work, double limit, String name, String... peers) {
        return new Target(
                work + ": CPU, " + name + " / ours",
                AT_LEAST,
                limit,
                race -> ratio(race, Figure.CPU, work, Race.OURS, peers),
                race -> ratio(race, Figure.CPU, work, Race.FLOOR, peers),
                _ -> 0L,
                _ -> false);
    }

    private static Target virtual() {
        return new Target(
                "virtual: CPU, ours / ours in plaintext",
                AT_MOST,
                1.15,
                race ->
                        Spread.ratio(
                                Figure.CPU,
                                rounds(race, "virtual", Race.OURS),
                                rounds(race, "plaintext", Race.OURS)),
                _ -> Optional.empty(),
                _ -> 0L,
                _ -> false);
    }

    private static Target rate(String work, double limit, String rival) {
        return new Target(
                work + ": requests/s, ours / " + rival,
                AT_LEAST,
                limit,
                race -> ratio(race, Figure.RATE, work, rival, Race.OURS),
                race -> ratio(race, Figure.RATE, work, rival, Race.FLOOR),
                _ -> 0L,
                race -> ours(race, work).filter(Place::isGeneratorBound).isPresent());
    }

    /** As many requests per second as each of the others. */
    private static Target fastest(String work, String... rivals) {
        return new Target(
                work + ": requests/s, ours / best proxy",
                AT_LEAST,
                1,
                race ->
                        Arrays.stream(rivals)
                                .flatMap(r -> ratio(race, Figure.RATE, work, r, Race.OURS).stream())
                                .min(Comparator.comparing(Spread::median)),
                _ -> Optional.empty(),
                _ -> 0L,
                race -> ours(race, work).filter(Place::isGeneratorBound).isPresent());
    }

    /** Of that of {@code peers} which needs the least CPU. */
    private static Optional<Spread> ratio(
            Race race, Figure figure, String work, String base, String... peers) {
        return verdict(race, work)
                .flatMap(
                        v ->
                                Arrays.stream(peers)
                                        .flatMap(p -> v.place(p).stream())
                                        .min(Comparator.comparing(p -> p.median(Figure.CPU)))
                                        .flatMap(p -> v.times(figure, p.peer(), base)));
    }

    private static List<Round> rounds(Race race, String work, String peer) {
        return verdict(race, work).flatMap(v -> v.place(peer)).map(Place::rounds).orElse(List.of());
    }

    private static Optional<Place> ours(Race race, String work) {
        return verdict(race, work).flatMap(Verdict::ours);
    }

    private static Optional<Verdict> verdict(Race race, String work) {
        return race.works().stream()
                .filter(w -> w.name().equals(work))
                .findFirst()
                .map(Verdict::of);
    }
}
