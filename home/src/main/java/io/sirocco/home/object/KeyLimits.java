// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import java.util.Collection;
import java.util.Optional;

/**
 * Limits of the keys that a table takes from the network. A LuaTable finds a key by its hash, which
 * ignores bytes of long strings, so that a sender can choose keys that all collide and make each
 * lookup linear. Any thread.
 */
final class KeyLimits {
    private static final int MAX = 10_000;
    private static final int MAX_COLLISIONS = 64;

    private KeyLimits() {}

    /**
     * Returns why a table must not have these keys: there are more than 10,000, or more than 64 of
     * them collide. Empty if it may.
     */
    static Optional<String> problem(Collection<String> names) {
        if (names.size() > MAX) {
            return Optional.of("it has more than 10,000 members of one table");
        }
        if (names.size() <= MAX_COLLISIONS) {
            return Optional.empty();
        }
        int mask = 2 * Integer.highestOneBit(names.size()) - 1;
        int[] counts = new int[mask + 1];
        for (String name : names) {
            if (++counts[LuaText.of(name).hashCode() & mask] > MAX_COLLISIONS) {
                return Optional.of("it has too many members whose names are alike");
            }
        }
        return Optional.empty();
    }
}
