// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.util.List;

/**
 * Refuses a reload that takes away what a file lacks by accident: one that is empty, or was cut off
 * while it was written, is valid TOML. Immutable.
 */
final class Removals {
    private static final String HINT =
            "is the file complete? If it is meant, set reload-may-remove = true in [server], or"
                    + " restart";

    private Removals() {}

    /**
     * Compares the configuration that is served with the next one.
     *
     * @throws InvalidConfiguration if the next one has none of the sites, or fewer addresses, and
     *     does not say that this is meant
     */
    static void check(Configuration served, Configuration next) throws InvalidConfiguration {
        if (next.server().reloadMayRemove()) return;
        if (!served.sites().isEmpty() && next.sites().isEmpty()) {
            throw refused(next, "a reload would remove all sites");
        }
        List<String> closed =
                served.listen().stream()
                        .map(Listen::address)
                        .filter(
                                old ->
                                        next.listen().stream()
                                                .noneMatch(it -> it.address().equals(old)))
                        .map(Address::toString)
                        .toList();
        boolean fewer = next.listen().size() < served.listen().size();
        boolean unsaid = isSet(served) && !isSet(next);
        if (!closed.isEmpty() && (fewer || unsaid)) {
            throw refused(
                    next,
                    "a reload would close "
                            + String.join(", ", closed)
                            + ", with no other address in its place");
        }
    }

    private static boolean isSet(Configuration configuration) {
        return configuration.document().fields().value("listen") != null;
    }

    private static InvalidConfiguration refused(Configuration next, String why) {
        return new InvalidConfiguration(
                Problem.at(next.document().source().nowhere(), Problem.Severity.ERROR, why, HINT));
    }
}
