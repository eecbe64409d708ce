// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import io.sirocco.bench.report.Race.Round;
import io.sirocco.bench.report.Race.Standing;
import io.sirocco.bench.report.Race.Work;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Who was how good at one work, and how sure that is. Immutable.
 *
 * @param places those that took part, by CPU time for a request, the least first; the floor is
 *     among them, without a rank
 */
record Verdict(Work work, List<Place> places) {

    static List<Verdict> all(Race race) {
        return race.works().stream().map(Verdict::of).toList();
    }

    static Verdict of(Work work) {
        var there = work.standings().stream().filter(s -> !s.rounds().isEmpty());
        var sorted = there.sorted(Comparator.comparing(Verdict::cpu)).toList();
        var places = new ArrayList<Place>();
        for (var group : groups(sorted.stream().filter(s -> !isFloor(s)).toList())) {
            int rank = places.size() + 1;
            group.forEach(s -> places.add(place(s, rank, group.size() > 1)));
        }
        sorted.stream().filter(Verdict::isFloor).forEach(s -> places.add(place(s, 0, false)));
        places.sort(Comparator.comparing(p -> p.median(Figure.CPU)));
        return new Verdict(work, List.copyOf(places));
    }

    /** Each group is one peer, and those behind it whose ranges overlap its own. */
    private static List<List<Standing>> groups(List<Standing> sorted) {
        var groups = new ArrayList<List<Standing>>();
        for (var standing : sorted) {
            boolean joins =
                    !groups.isEmpty()
                            && spread(groups.getLast().getFirst()).overlaps(spread(standing));
            if (!joins) {
                groups.add(new ArrayList<>());
            }
            groups.getLast().add(standing);
        }
        return groups;
    }

    private static Place place(Standing standing, int rank, boolean tied) {
        return new Place(standing.peer(), rank, tied, standing.rounds());
    }

    private static Spread spread(Standing standing) {
        return Spread.of(Figure.CPU, standing.rounds());
    }

    private static double cpu(Standing standing) {
        return spread(standing).median();
    }

    private static boolean isFloor(Standing standing) {
        return standing.peer().equals(Race.FLOOR);
    }

    /** Without the floor, the best first. */
    List<Place> ranked() {
        return places.stream().filter(p -> !p.isFloor()).toList();
    }

    /** Those that are ranked and not ours, the best first. */
    List<Place> rivals() {
        return ranked().stream().filter(p -> !p.isFamily()).toList();
    }

    Optional<Place> place(String peer) {
        return places.stream().filter(p -> p.peer().equals(peer)).findFirst();
    }

    Optional<Place> ours() {
        return place(Race.OURS);
    }

    /** How many times {@code base}'s {@code figure} is {@code peer}'s, if both took part. */
    Optional<Spread> times(Figure figure, String peer, String base) {
        List<Round> of = place(peer).map(Place::rounds).orElse(List.of());
        List<Round> to = place(base).map(Place::rounds).orElse(List.of());
        return Spread.ratio(figure, of, to);
    }

    /** That their CPU time differs. */
    Sureness sureness(Place a, Place b) {
        return Sureness.between(a.spread(Figure.CPU), b.spread(Figure.CPU));
    }

    /** By answers per second, the most first; without the floor. */
    List<Place> byRate() {
        Comparator<Place> byRate = Comparator.comparing(p -> p.median(Figure.RATE));
        return ranked().stream().sorted(byRate.reversed()).toList();
    }

    /** Those that did not do this work, with the reason. */
    List<Standing> absent() {
        return work.standings().stream().filter(s -> s.rounds().isEmpty()).toList();
    }
}
