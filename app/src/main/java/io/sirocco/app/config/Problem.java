// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

/**
 * Something that is wrong with a configuration, in the form of a good compiler. Immutable.
 *
 * <pre>
 * sirocco.toml:12:3: error: unknown key "lisen" in the top level
 *    12 | [[lisen]]
 *       |   ^^^^^
 *   did you mean "listen"?
 * </pre>
 *
 * @param excerpt the lines that show it, each ended; empty when there is none
 * @param hint what to do; empty when there is nothing to say
 */
public record Problem(
        Severity severity, Position position, String message, String excerpt, String hint) {

    /** An error refuses the configuration, a warning does not. */
    public enum Severity {
        ERROR,
        WARNING
    }

    static Problem at(Place place, Severity severity, String message, String hint) {
        return new Problem(
                severity, place.position(), message, place.source().excerpt(place), hint);
    }

    /** All of it, several lines, the last one ended. */
    @Override
    public String toString() {
        String word = severity == Severity.ERROR ? "error" : "warning";
        String last = hint.isEmpty() ? "" : "  " + hint + "\n";
        return position + ": " + word + ": " + message + "\n" + excerpt + last;
    }
}
