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

    private static final int LONGEST = 200;

    static Problem at(Place place, Severity severity, String message, String hint) {
        return new Problem(
                severity,
                place.position(),
                harmless(message),
                place.source().excerpt(place),
                harmless(hint));
    }

    /** What a file says is shown, but never acted on by a terminal, and not at any length. */
    private static String harmless(String text) {
        String shown = Source.shown(text);
        return shown.length() <= LONGEST ? shown : shown.substring(0, LONGEST) + "...";
    }

    /** All of it, several lines, the last one ended. */
    @Override
    public String toString() {
        String word = severity == Severity.ERROR ? "error" : "warning";
        String last = hint.isEmpty() ? "" : "  " + hint + "\n";
        return position + ": " + word + ": " + message + "\n" + excerpt + last;
    }
}
