// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;

/** Programs that a test cannot do without. */
final class Needs {
    private Needs() {}

    static void race() {
        for (String program : List.of("bash", "setsid", "taskset", "python3")) {
            programs(program);
        }
    }

    static void programs(String program) {
        assumeTrue(Programs.onPath(program), program + " is not installed");
    }
}
