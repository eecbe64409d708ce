// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import io.sirocco.bench.report.Race.Peer;
import io.sirocco.bench.report.Race.Standing;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.Collectors;

/**
 * That a peer was asked for and took no part, and why. Immutable.
 *
 * @param reason never empty
 */
record Absence(String peer, String reason) {
    private static final String UNKNOWN = "no reason was given";

    /** From the whole race. */
    static List<Absence> of(Race race) {
        return race.peers().stream()
                .filter(p -> !p.absent().isBlank())
                .map(p -> new Absence(p.name(), p.absent()))
                .toList();
    }

    /** From one work, by peers that did others. */
    static List<Absence> of(Race race, Verdict verdict) {
        var whole = of(race).stream().map(Absence::peer).toList();
        return verdict.absent().stream()
                .filter(s -> !whole.contains(s.peer()))
                .map(s -> new Absence(s.peer(), reason(race, s)))
                .toList();
    }

    /** "a, b (why), c (why)". */
    static String words(List<Absence> absent) {
        var byReason = new LinkedHashMap<String, List<String>>();
        absent.forEach(a -> byReason.computeIfAbsent(a.reason, _ -> new ArrayList<>()).add(a.peer));
        return byReason.entrySet().stream()
                .map(e -> String.join(", ", e.getValue()) + " (" + e.getKey() + ")")
                .collect(Collectors.joining(", "));
    }

    /** Why {@code peer} has no rounds in {@code work}. */
    static String reason(Race race, Standing standing) {
        if (!standing.absent().isBlank()) {
            return standing.absent();
        }
        return race.peers().stream()
                .filter(p -> p.name().equals(standing.peer()))
                .map(Peer::absent)
                .filter(reason -> !reason.isBlank())
                .findFirst()
                .orElse(UNKNOWN);
    }
}
