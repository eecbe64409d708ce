// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

/**
 * An error or a warning about a configuration, in the form that compilers use. It goes to logs and
 * over the network, so it has no {@linkplain Secrets secrets}. Immutable.
 *
 * <pre>
 * sirocco.toml:12:3: error: unknown key "lisen" at the top level
 *    12 | [[lisen]]
 *       |   ^^^^^
 *   did you mean "listen"?
 * </pre>
 *
 * @param excerpt the lines that show it, each with a line feed; may be empty
 * @param hint what to do about it; may be empty
 */
public record Problem(
        Severity severity, SourcePosition position, String message, String excerpt, String hint) {

    /** An error makes the configuration invalid, a warning does not. */
    public enum Severity {
        ERROR,
        WARNING
    }

    private static final int LONGEST = 200;

    static Problem at(SourcePosition position, Severity severity, String message, String hint) {
        Source source = position.source();
        Secrets secrets = source.secrets(position);
        return new Problem(
                severity,
                position,
                harmless(secrets.message(message)),
                source.excerpt(position),
                harmless(secrets.hint(hint)));
    }

    /** Replaces control characters, and cuts what is too long. */
    private static String harmless(String text) {
        String shown = Source.shown(text);
        return shown.length() <= LONGEST ? shown : shown.substring(0, LONGEST) + "...";
    }

    /** Returns all of it: several lines, each with a line feed. */
    @Override
    public String toString() {
        String word = severity == Severity.ERROR ? "error" : "warning";
        String last = hint.isEmpty() ? "" : "  " + hint + "\n";
        return position + ": " + word + ": " + message + "\n" + excerpt + last;
    }
}
