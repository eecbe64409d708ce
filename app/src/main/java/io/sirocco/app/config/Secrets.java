// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A line of a configuration whose secrets are hidden, so that a report about the line can go to a
 * log or over the network: the user and password of a URL, and the value of a key whose name
 * promises a secret, such as {@code Authorization} or {@code password}. A key that names a file is
 * none. A line may be wrong in any way, so it is searched as text and rather too much is hidden
 * than too little. Immutable.
 *
 * @param shown the line with {@code ***} for each secret
 * @param hidden the text that is hidden, with line feeds between its parts; empty for none
 * @param named whether a key promises a secret, so that any value in a message may be it; not for
 *     "broker", whose messages have no value
 */
record Secrets(String shown, String hidden, boolean named) {
    private static final String MASK = "***";

    /** The user and password of a URL, even of one with a mistake in its scheme. */
    private static final Pattern IN_URL =
            Pattern.compile("(?<=://).*@|[^\\s\"'=,{\\[]*:[^\\s\"']*@");

    private static final Pattern NAMED =
            Pattern.compile(
                    "(?i)(?<![\\w-])(?![\\w-]*-(?:file|path)\\b)"
                            + "(?:[\\w-]*(?:passw(?:or)?d|passphrase|secret|token|authorization"
                            + "|api-?key|credential)[\\w-]*|(?:set-)?cookie|(broker))[\"']?"
                            + "(?:\\s*+[=:]|\\s(?!\\s*[=:]))\\s*+(?!(?:true|false|\"memory\"|\"rediss?://[\\w.:/-]*\")\\W*(?:#|$))(\\S.*)");

    private static final Pattern QUOTED = Pattern.compile("\"([^\"]*)\"");
    private static final Pattern WORD = Pattern.compile("[^\\s\"'{}()$]{4,}");

    /** Returns a line with its secrets hidden. */
    static Secrets of(String line) {
        Matcher value = NAMED.matcher(line);
        boolean named = value.find();
        String shown = named ? line.substring(0, value.start(2)) + MASK : line;
        String hidden = named ? value.group(2) : "";
        Matcher user = IN_URL.matcher(shown);
        while (user.find()) hidden += "\n" + user.group();
        return new Secrets(withoutUsers(shown), hidden, named && value.group(1) == null);
    }

    /** Returns a line that is part of a secret of several lines. */
    static Secrets all(String line) {
        return new Secrets(MASK, line.strip(), true);
    }

    /** Returns whether the name of a key promises a secret. */
    static boolean isPromisedBy(String key) {
        return NAMED.matcher(key + " = \"x\"").find();
    }

    boolean isEmpty() {
        return hidden.isEmpty();
    }

    /** Returns a hint about the line, without the secrets. */
    String hint(String text) {
        return quoted(text, false);
    }

    /** Returns a message about the line, without the secrets. */
    String message(String text) {
        return quoted(text, named);
    }

    private String quoted(String text, boolean strict) {
        if (isEmpty()) return withoutUsers(text);
        String plain =
                QUOTED.matcher(text)
                        .replaceAll(
                                found ->
                                        Matcher.quoteReplacement(
                                                tells(found.group(1), strict)
                                                        ? "\"" + MASK + "\""
                                                        : found.group()));
        plain =
                WORD.matcher(plain)
                        .replaceAll(
                                found ->
                                        Matcher.quoteReplacement(
                                                tells(found.group(), false)
                                                        ? MASK
                                                        : found.group()));
        for (String secret : hidden.split("\n")) {
            if (!secret.isEmpty()) plain = plain.replace(secret, MASK);
        }
        return withoutUsers(plain);
    }

    private boolean tells(String word, boolean strict) {
        if (word.isEmpty() || shown.contains(word)) return false;
        return strict || hidden.contains(word);
    }

    private static String withoutUsers(String text) {
        return IN_URL.matcher(text)
                .replaceAll(
                        found ->
                                Matcher.quoteReplacement(
                                        found.group().contains("[user]:password@") // in a hint
                                                ? found.group()
                                                : MASK + "@"));
    }
}
