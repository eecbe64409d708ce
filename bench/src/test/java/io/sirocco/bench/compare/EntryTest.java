// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.bench.report.Race;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class EntryTest {
    @Test
    void aServerOnTheJvmSeesConnectionsCloseSoonAndOften() {
        List<Double> loads = entry("Java").warmUps(3, 15);
        assertEquals(List.of(1.0, 1.0, 1.0, 1.0, 1.0, 5.0, 5.0), loads);
    }

    @Test
    void longRoundsAreWarmedUpForTwiceAsLong() {
        List<Double> loads = entry("Kotlin").warmUps(30, 15);
        assertEquals(60, loads.stream().mapToDouble(load -> load).sum());
    }

    @Test
    void othersWorkForHalfARound() {
        assertEquals(List.of(1.5), entry("C").warmUps(3, 15));
    }

    private static Entry entry(String language) {
        var peer = new Race.Peer("one", language, "1", "", "");
        return new Entry(peer, Set.of(), Optional.empty());
    }
}
