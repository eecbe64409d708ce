// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Suggests the word that was probably meant. Any thread. */
public final class Nearest {
    private static final int LONGEST = 40;

    private Nearest() {}

    /** Returns the candidate with the smallest edit distance, if it is near enough. */
    static Optional<String> to(String word, Collection<String> candidates) {
        if (word.length() > LONGEST) return Optional.empty();
        return candidates.stream()
                .filter(candidate -> !candidate.equals(word))
                .min(Comparator.comparingInt(candidate -> edits(word, candidate)))
                .filter(best -> isNear(word, best));
    }

    private static boolean isNear(String word, String best) {
        if (best.length() <= 3) return simple(word).equals(simple(best));
        return edits(word, best) <= best.length() / 3
                || word.length() >= 3 && simple(best).startsWith(simple(word));
    }

    /** Returns a hint, or an empty string if no candidate is near. */
    public static String hint(String word, Collection<String> candidates) {
        return to(word, candidates).map(best -> "did you mean \"" + best + "\"?").orElse("");
    }

    /** Returns the number of letters to insert, delete, change or swap; case does not count. */
    private static int edits(String a, String b) {
        String from = simple(a);
        String to = simple(b);
        var cost = new int[from.length() + 1][to.length() + 1];
        for (int i = 0; i <= from.length(); i++) {
            for (int j = 0; j <= to.length(); j++) {
                if (i == 0 || j == 0) {
                    cost[i][j] = i + j;
                    continue;
                }
                int change = from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1;
                cost[i][j] =
                        Math.min(
                                cost[i - 1][j - 1] + change,
                                1 + Math.min(cost[i - 1][j], cost[i][j - 1]));
                boolean swapped =
                        i > 1
                                && j > 1
                                && from.charAt(i - 1) == to.charAt(j - 2)
                                && from.charAt(i - 2) == to.charAt(j - 1);
                if (swapped) cost[i][j] = Math.min(cost[i][j], cost[i - 2][j - 2] + 1);
            }
        }
        return cost[from.length()][to.length()];
    }

    private static String simple(String word) {
        return word.toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
