// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.schedule;

/** Thrown when a rule cannot be read; the message says where, why, and what to write. Immutable. */
public final class RuleException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;
    private static final int SHOWN = 80;

    RuleException(String rule, String why) {
        super("In \"" + shown(rule) + "\": " + why);
    }

    /** Throws one if a rule is longer than {@code max} characters. */
    static void checkLength(String rule, int max) {
        if (rule.length() > max) {
            throw new RuleException(rule, "it is longer than " + max + " characters.");
        }
    }

    private static String shown(String rule) {
        return rule.length() <= SHOWN ? rule : rule.substring(0, SHOWN) + "...";
    }
}
