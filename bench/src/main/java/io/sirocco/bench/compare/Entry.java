// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import io.sirocco.bench.report.Race;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A peer at the start.
 *
 * @param works those of bench/peers/README.md that it does
 * @param server empty when it is absent
 */
record Entry(Race.Peer peer, Set<String> works, Optional<ServerProcess> server) {
    private static final Set<String> ON_THE_JVM =
            Set.of("Java", "Kotlin", "Scala", "Clojure", "Groovy");

    static Entry absent(Race.Peer peer, String reason) {
        var absent =
                new Race.Peer(peer.name(), peer.language(), peer.version(), peer.notes(), reason);
        return new Entry(absent, Set.of(), Optional.empty());
    }

    /**
     * How long it works before it is measured, in seconds: half of a round, or {@code warmUp} on
     * the JVM, whose compiler needs to see more, and shares the server's core meanwhile. There it
     * is seven loads, the first five of them short, since the connections close behind each: a JVM
     * that has not seen that yet compiles as if it never happened, and has to compile again when it
     * does, which would be in the middle of the measurement.
     */
    List<Double> warmUps(double seconds, double warmUp) {
        if (!ON_THE_JVM.contains(peer.language())) {
            return List.of(seconds / 2);
        }
        double all = Math.max(warmUp, 2 * seconds);
        var loads = new ArrayList<>(Collections.nCopies(5, all / 15));
        loads.addAll(Collections.nCopies(2, all / 3));
        return loads;
    }

    /** Why it has no part in a work; empty when it has. */
    Optional<String> excused(Work work) {
        if (!peer.absent().isEmpty()) {
            return Optional.of(peer.absent());
        }
        return works.contains(work.needs())
                ? Optional.empty()
                : Optional.of("does not do " + work.needs());
    }
}
