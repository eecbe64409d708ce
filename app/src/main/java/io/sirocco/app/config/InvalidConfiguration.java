// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.util.List;
import java.util.stream.Collectors;

/** A configuration with errors. The message lists them for the operator. */
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
     * Creates it from several problems, each once, in the order of the file, up to {@value
     * Report#MAX}.
     */
    public static InvalidConfiguration of(List<Problem> problems) {
        List<Problem> all = Report.sorted(problems.stream().distinct().toList());
        int shown = Math.min(all.size(), Report.MAX);
        return new InvalidConfiguration(all.subList(0, shown), all.size() - shown);
    }

    /** Returns the problems in the order of the file, up to {@value Report#MAX}. */
    public List<Problem> problems() {
        return problems;
    }
}
