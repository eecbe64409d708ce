// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import io.sirocco.bench.Result;
import io.sirocco.bench.report.Race.Round;
import java.util.Comparator;
import java.util.List;

/**
 * Where a peer stands at one work. Immutable.
 *
 * @param rank 1 is the least CPU time for a request; 0 is the floor, which is not ranked
 * @param tied whether others have the same rank: their ranges overlap that of the best of them
 */
record Place(String peer, int rank, boolean tied, List<Round> rounds) {

    Spread spread(Figure figure) {
        return Spread.of(figure, rounds);
    }

    double median(Figure figure) {
        return spread(figure).median();
    }

    boolean isFloor() {
        return peer.equals(Race.FLOOR);
    }

    boolean isOurs() {
        return peer.equals(Race.OURS);
    }

    /** Whether it is ours, or ours on another transport: no rival of ours. */
    boolean isFamily() {
        return isFamily(peer);
    }

    static boolean isFamily(String peer) {
        return peer.equals(Race.OURS) || peer.startsWith(Race.OURS + "-");
    }

    long failures() {
        return rounds.stream().mapToLong(Round::failures).sum();
    }

    /** Whether its requests per second are the generator's in one round at least. */
    boolean isGeneratorBound() {
        return rounds.stream().anyMatch(r -> r.generatorShare() >= Result.BOTTLENECK);
    }

    /** The round in the middle by requests per second: the one whose curves are drawn. */
    Round typical() {
        var sorted = rounds.stream().sorted(Comparator.comparing(Figure.RATE::of)).toList();
        return sorted.get((sorted.size() - 1) / 2);
    }

    /** "1st", or "shares 3rd". */
    String ordinal() {
        return (tied ? "shares " : "") + ordinal(rank);
    }

    private static String ordinal(int rank) {
        String end =
                rank % 100 / 10 == 1
                        ? "th"
                        : switch (rank % 10) {
                            case 1 -> "st";
                            case 2 -> "nd";
                            case 3 -> "rd";
                            default -> "th";
                        };
        return rank + end;
    }
}
