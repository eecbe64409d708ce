// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import java.util.List;

/** How a race is measured, in words: the same on the page and in the document. */
final class Method {
    private Method() {}

    static List<String> sentences(Race race) {
        return List.of(
                "Each server does its work on one thread, on CPU 0; the generator loads it from CPU 1,"
                        + " over loopback. The others are stopped meanwhile.",
                "Rounds interleave the servers, so what disturbs the machine disturbs all of them. A"
                        + " ratio is made within each round; shown is the median of the ratios.",
                "Before it is measured, a server must give the right answers.",
                "CPU is user and system time of the server, from /proc, for one request. It does not"
                        + " depend on how fast the generator is, as requests per second do.",
                "floor is one thread of C with epoll and nothing that a server needs: no limits, no"
                        + " deadlines, no partial reads. It is a bound, and takes no place.",
                "A spread is from the least round to the most"
                        + (race.rounds() > 9 ? ", without the tenth at each end." : "."),
                sure(race.rounds()));
    }

    /** What the marks mean. */
    static String sure(int rounds) {
        String luck =
                rounds >= Sureness.ROUNDS && rounds <= 9
                        ? " Two equal servers would look so by luck once in "
                                + Units.count(Sureness.oneIn(rounds))
                                + " races."
                        : "";
        String few =
                rounds < Sureness.ROUNDS
                        ? " With fewer than " + Sureness.ROUNDS + " rounds nothing is sure."
                        : "";
        return "sure: the spreads of the two do not overlap."
                + luck
                + few
                + " about equal: they overlap, and the medians are within 10 %. unclear: they overlap,"
                + " but the medians do not say equal, or there were too few rounds.";
    }

    /** "5 rounds of 3 s each". */
    static String rounds(Race race) {
        return race.rounds()
                + (race.rounds() == 1 ? " round of " : " rounds of ")
                + Units.plain(race.seconds())
                + " s each";
    }

    static String machine(Race.Machine machine) {
        return machine.cpu()
                + ", "
                + machine.cores()
                + (machine.cores() == 1 ? " core, " : " cores, ")
                + Units.memory(machine.memoryBytes())
                + "; "
                + machine.os()
                + ", "
                + machine.kernel()
                + "; "
                + machine.jvm();
    }
}
