// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import static io.sirocco.bench.report.SmallRace.absent;
import static io.sirocco.bench.report.SmallRace.standing;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.bench.report.Race.Standing;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RaceTableTest {
    @Test
    void golden() {
        var peers = new ArrayList<>(SmallRace.peers("floor", "sirocco", "nginx", "go"));
        peers.add(new Race.Peer("hyper", "Rust", "", "", "cargo is missing"));
        var failing = new Standing("go", "", List.of(SmallRace.round(30, 1234567, 12)));
        var race =
                SmallRace.of(
                        peers,
                        SmallRace.work(
                                "plaintext",
                                standing("floor", 3.8, 3.9, 4),
                                standing("sirocco", 3.91, 3.95, 3.99),
                                standing("nginx", 4.4, 4.5, 4.6),
                                failing,
                                absent("hyper", "")),
                        SmallRace.work(
                                "virtual",
                                absent("floor", "it has no threads"),
                                standing("sirocco", 4),
                                absent("nginx", "it has no threads"),
                                absent("go", ""),
                                absent("hyper", "")));
        assertEquals(
                """
                plaintext: plaintext title
                           µs CPU/request      spread  × floor  × ours       req/s      p50      p99    p99.9  failed
                  floor              3.90  3.80..4.00     1.00    0.99     51,282   39.0 µs   156 µs  1.56 ms       0
                  sirocco            3.95  3.91..3.99     1.01    1.00     50,633   39.5 µs   158 µs  1.58 ms       0
                  nginx              4.50  4.40..4.60     1.15    1.14     44,444   45.0 µs   180 µs  1.80 ms       0
                  go                 30.0   one round     7.89    7.67  1,234,567    300 µs  1.20 ms  12.0 ms      12
                  Sirocco is 1st at 1.01 × the floor. The best other, nginx, needs 1.14 × its CPU (sure).

                virtual: virtual title
                           µs CPU/request     spread  × floor  × ours    req/s      p50     p99    p99.9  failed
                  sirocco            4.00  one round        -    1.00  50,000   40.0 µs  160 µs  1.60 ms       0
                  Sirocco is 1st.
                  Without floor, nginx (it has no threads), go (no reason was given).

                absent: hyper: cargo is missing
                """,
                RaceTable.of(race));
    }

    @Test
    void noLineIsWiderThanATerminal() {
        RaceTable.of(SampleRace.full())
                .lines()
                .forEach(line -> assertTrue(line.length() <= 110, line));
    }

    @Test
    void whatIsCountedIsTheHeadOfItsColumns() {
        var work =
                new Race.Work(
                        "live-fanout",
                        "to many",
                        "What is done.",
                        "delivery",
                        List.of(standing("sirocco", 4)));
        String table = RaceTable.of(SmallRace.of(SmallRace.peers("sirocco"), work));
        assertTrue(table.contains("µs CPU/delivery "), table);
        assertTrue(table.contains(" deliveries/s "), table);
    }

    @Test
    void noWorks() {
        assertEquals("No work was measured.\n", RaceTable.of(SampleRace.race(5, 17, 0)));
    }

    @Test
    void aLongNameIsCut() {
        var race =
                SmallRace.of(SmallRace.peers(), SmallRace.work("x", standing("a".repeat(40), 1)));
        assertTrue(RaceTable.of(race).contains("a".repeat(15) + "… "));
    }
}
