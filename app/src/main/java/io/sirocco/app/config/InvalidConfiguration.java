// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.util.List;
import java.util.stream.Collectors;

/** A configuration that cannot be used. Its message is all that an operator needs to know. */
public final class InvalidConfiguration extends Exception {
    private static final long serialVersionUID = 1;

    private final transient List<Problem> problems;

    InvalidConfiguration(Problem problem) {
        this(List.of(problem), 0);
    }

    InvalidConfiguration(List<Problem> problems, int further) {
        super(
                problems.stream().map(Problem::toString).collect(Collectors.joining())
                        + (further == 0 ? "" : "... and " + further + " more\n"));
        this.problems = List.copyOf(problems);
    }

    /**
     * Several problems, each once and in the order of the file; the first ones if they are many.
     */
    public static InvalidConfiguration of(List<Problem> problems) {
        List<Problem> all = Report.sorted(problems.stream().distinct().toList());
        int told = Math.min(all.size(), Report.MOST);
        return new InvalidConfiguration(all.subList(0, told), all.size() - told);
    }

    /** What is wrong, in the order of the file; the first {@value Report#MOST} at most. */
    public List<Problem> problems() {
        return problems;
    }
}
