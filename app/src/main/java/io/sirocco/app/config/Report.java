// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import io.sirocco.app.config.Problem.Severity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Collects the problems of one configuration, each once. Used by one thread. */
final class Report {
    /** The maximum number of errors that are shown. */
    static final int MAX = 20;

    private record Seen(int offset, String message) {}

    private final Set<Seen> seen = new HashSet<>(); // inherited options are read more than once
    private final List<Problem> errors = new ArrayList<>();
    private final List<Problem> warnings = new ArrayList<>();
    private int further;

    void error(SourcePosition position, String message, String hint) {
        if (!seen.add(new Seen(position.from(), message))) return;
        if (errors.size() == MAX) {
            further++;
        } else {
            errors.add(Problem.at(position, Severity.ERROR, message, hint));
        }
    }

    void warning(SourcePosition position, String message, String hint) {
        if (seen.add(new Seen(position.from(), message)) && warnings.size() < MAX) {
            warnings.add(Problem.at(position, Severity.WARNING, message, hint));
        }
    }

    /** Returns whether further errors are only counted. */
    boolean isFull() {
        return errors.size() == MAX;
    }

    /** Returns whether there is a problem within a piece, so that its value means nothing. */
    boolean concerns(SourcePosition piece) {
        return seen.stream().anyMatch(one -> one.offset >= piece.from() && one.offset < piece.to());
    }

    boolean hasErrors() {
        return !errors.isEmpty();
    }

    void throwIfErrors() throws InvalidConfiguration {
        if (hasErrors()) throw new InvalidConfiguration(sorted(errors), further);
    }

    List<Problem> warnings() {
        return sorted(warnings);
    }

    /** Returns problems in the order of the file. */
    static List<Problem> sorted(List<Problem> problems) {
        if (problems.isEmpty()) {
            return List.of(); // and no comparator is linked, which takes time at every start
        }
        return problems.stream()
                .sorted(Comparator.comparingInt(problem -> problem.position().order()))
                .toList();
    }
}
