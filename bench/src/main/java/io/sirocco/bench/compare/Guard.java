// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import io.sirocco.bench.report.Race;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The verdict of a race that guards against getting slow: CPU time of ours for a request in its
 * best round, in multiples of the floor's in its best. What else runs on a machine only adds to
 * that time, at times for several rounds on end, so that the best rounds vary least. The bound is
 * wide all the same. Immutable.
 *
 * @param good false when a work is beyond the bound, or could not be measured
 * @param line the verdict in one line
 */
public record Guard(boolean good, String line) {
    /** The works that it looks at. */
    public static final List<String> WORKS = List.of("plaintext", "churn");

    /** More than this many times the floor is too slow. */
    public static final double MAX = 1.5;

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
            good &= ratio.isPresent() && ratio.get() <= MAX;
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
                        MAX,
                        verdict));
    }

    private static Optional<Double> ratio(Race.Work work) {
        OptionalDouble ours = best(work, Race.OURS);
        OptionalDouble floor = best(work, Race.FLOOR);
        return ours.isPresent() && floor.isPresent()
                ? Optional.of(ours.getAsDouble() / floor.getAsDouble())
                : Optional.empty();
    }

    private static OptionalDouble best(Race.Work work, String peer) {
        return work.of(peer).stream()
                .flatMap(standing -> standing.rounds().stream())
                .mapToDouble(Race.Round::cpuMicros)
                .filter(micros -> micros > 0)
                .min();
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
