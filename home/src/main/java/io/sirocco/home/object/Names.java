// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import java.util.Collection;
import java.util.Optional;

/**
 * What is wrong with names from the network as keys of one table. Tables of the script language
 * find a key by its hash, which leaves out bytes of long strings: names can be made so that each is
 * looked for behind all others. Any thread.
 */
final class Names {
    private static final int MAX = 10_000;
    private static final int MAX_ALIKE = 64;

    private Names() {}

    /**
     * Returns why a table must not have these keys: there are more than 10,000, or more than 64
     * would have the same slot. Empty if it may.
     */
    static Optional<String> problem(Collection<String> names) {
        if (names.size() > MAX) {
            return Optional.of("it has more than 10,000 members of one table");
        }
        if (names.size() <= MAX_ALIKE) {
            return Optional.empty();
        }
        int mask = 2 * Integer.highestOneBit(names.size()) - 1;
        int[] counts = new int[mask + 1];
        for (String name : names) {
            if (++counts[LuaText.of(name).hashCode() & mask] > MAX_ALIKE) {
                return Optional.of("it has too many members whose names are alike");
            }
        }
        return Optional.empty();
    }
}
