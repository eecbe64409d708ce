// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Refuses a reload that takes away what a file lacks by accident: one that is empty, or was cut off
 * while it was written, is valid TOML. Immutable.
 */
final class Removals {
    /** The keys whose values tell one table of a list from another. */
    private static final Set<String> NAMES = Set.of("address", "hosts", "methods", "name", "path");

    private static final String HINT =
            "is the file complete? If it is meant, set reload-may-remove = true in [server], or"
                    + " restart";

    private Removals() {}

    /**
     * Compares the configuration that is served with the next one.
     *
     * @throws InvalidConfiguration if the next one has none of the sites, or fewer addresses, or is
     *     a beginning of the one that is served, and does not say that this is meant
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
        Optional<String> rest = cutOff(served, next);
        if (rest.isPresent()) {
            throw refused(
                    next,
                    "the file is cut off: it ends where the file in effect goes on" + rest.get());
        }
    }

    /**
     * Returns where the served file goes on after the end of the next one, which has the same
     * tables and keys up to there. A new file can be cut, too, so values may differ; only the names
     * of tables must be the same, since a table that is removed elsewhere is meant.
     */
    private static Optional<String> cutOff(Configuration served, Configuration next) {
        Source whole = served.document().source();
        Source source = next.document().source();
        List<Outline.Spot> all = new Outline(whole.text()).inOrder();
        List<Outline.Spot> first = new Outline(source.text()).inOrder();
        boolean begins = first.size() <= all.size();
        for (int i = 0; begins && i < first.size(); i++) {
            begins = text(whole, all.get(i)).equals(text(source, first.get(i)));
        }
        boolean begun = whole.text().startsWith(source.text().strip()); // a number, by its digits
        boolean isCut = begins && (first.size() < all.size() || begun);
        if (!isCut || served.toToml().equals(next.toToml())) return Optional.empty();
        if (first.size() == all.size()) return Optional.of("");
        Outline.Spot rest = all.get(first.size());
        String key = whole.text().substring(rest.keyFrom, rest.keyTo);
        int line = whole.line(rest.keyFrom);
        return Optional.of(" with %s in line %d".formatted(Escapes.quoted(key), line));
    }

    /** Returns the key, with its value if it names a table. */
    private static String text(Source source, Outline.Spot spot) {
        String key = source.text().substring(spot.keyFrom, spot.keyTo);
        return NAMES.contains(key) ? source.text().substring(spot.keyFrom, spot.to) : key;
    }

    private static boolean isSet(Configuration configuration) {
        return configuration.document().fields().value("listen") != null;
    }

    private static InvalidConfiguration refused(Configuration next, String why) {
        return new InvalidConfiguration(
                Problem.at(next.document().source().nowhere(), Problem.Severity.ERROR, why, HINT));
    }
}
