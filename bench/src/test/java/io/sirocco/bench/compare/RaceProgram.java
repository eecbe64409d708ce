// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;

/** A race as a process of its own, to be sent signals: peers, out folder, rounds. */
final class RaceProgram {
    private RaceProgram() {}

    public static void main(String[] arguments) throws Exception {
        Path out = Path.of(arguments[1]);
        int rounds = Integer.parseInt(arguments[2]);
        var plan =
                new Plan(
                        List.of("plaintext"),
                        List.of("all"),
                        rounds,
                        0.1,
                        0.1,
                        1,
                        Path.of(arguments[0]),
                        out,
                        0,
                        1);
        try (var ending = new Ending()) {
            var race =
                    new Compare(plan, new FewRequests(5))
                            .run(ending, new PrintWriter(System.err, true));
            Outcome.write(race, out, new PrintWriter(System.out, true));
        }
    }
}
