// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import io.sirocco.bench.report.Race;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The verdict of a race that guards against getting slow: CPU time of ours for a request, in
 * multiples of the floor's in the same round, median over the rounds. The bound is wide, since
 * machines that tests run on are noisy. Immutable.
 *
 * @param good false when a work is beyond the bound, or could not be measured
 * @param line the verdict in one line
 */
public record Guard(boolean good, String line) {
    /** The works that it looks at. */
    public static final List<String> WORKS = List.of("plaintext", "churn");

    /** More than this many times the floor is too slow. */
    public static final double MOST = 1.5;

    /** What a race over {@link #WORKS} says. */
    public static Guard of(Race race) {
        var words = new ArrayList<String>();
        boolean good = true;
        for (String name : WORKS) {
            Optional<Double> ratio =
                    race.works().stream()
                            .filter(work -> work.name().equals(name))
                            .findFirst()
                            .flatMap(Guard::ratio);
            good &= ratio.isPresent() && ratio.get() <= MOST;
            words.add(
                    ratio.map(r -> String.format(Locale.ROOT, "%s %.2f x floor", name, r))
                            .orElseGet(() -> name + " was not measured" + why(race, name)));
        }
        String verdict = good ? "good" : "not good";
        return new Guard(
                good,
                String.format(
                        Locale.ROOT,
                        "guard: %s (at most %.2f): %s",
                        String.join(", ", words),
                        MOST,
                        verdict));
    }

    private static Optional<Double> ratio(Race.Work work) {
        var ours = work.of(Race.OURS).map(Race.Standing::rounds).orElse(List.of());
        var floor = work.of(Race.FLOOR).map(Race.Standing::rounds).orElse(List.of());
        int rounds = Math.min(ours.size(), floor.size());
        var ratios = new ArrayList<Double>();
        for (int i = 0; i < rounds; i++) {
            if (floor.get(i).cpuMicros() > 0) {
                ratios.add(ours.get(i).cpuMicros() / floor.get(i).cpuMicros());
            }
        }
        return ratios.isEmpty() ? Optional.empty() : Optional.of(median(ratios));
    }

    private static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        int half = sorted.size() / 2;
        return sorted.size() % 2 == 1
                ? sorted.get(half)
                : (sorted.get(half - 1) + sorted.get(half)) / 2;
    }

    private static String why(Race race, String name) {
        return race.works().stream()
                .filter(work -> work.name().equals(name))
                .flatMap(work -> work.standings().stream())
                .filter(s -> List.of(Race.FLOOR, Race.OURS).contains(s.peer()))
                .filter(s -> !s.absent().isEmpty())
                .map(s -> " (" + s.peer() + ": " + s.absent() + ")")
                .findFirst()
                .orElse("");
    }
}
