// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A line of a configuration whose secrets are hidden, so that a report about the line can go to a
 * log or over the network: the user and password of a URL, and the value of a key whose name
 * promises a secret, such as {@code Authorization} or {@code password}. A key that names a file is
 * none, unless its value does not look like a name. The text of a key or certificate is one. A line
 * may be wrong in any way, so it is searched as text and rather too much is hidden than too little.
 * Immutable.
 *
 * @param shown the line with {@code ***} for each secret
 * @param hidden the text that is hidden, with line feeds between its parts; empty for none
 * @param named whether a key promises a secret, so that any value in a message may be it; not for
 *     "broker", whose messages have no value
 */
record Secrets(String shown, String hidden, boolean named) {
    private static final String MASK = "***";

    /** The beginning of a key or a certificate. */
    static final String PEM = "-----BEGIN";

    /** A value in the place of the name of a file that is probably the secret: {@link #isIn}. */
    private static final String NO_FILE_NAME =
            "[\"']{0,3}+(?:[^\"'./\\[{]*|[^\"'.\\[{]*[+=][^\"'.\\[{]*)(?:[\"']|$)";

    /** The user and password of a URL, even of one with a mistake in its scheme. */
    private static final Pattern IN_URL =
            Pattern.compile("(?<=://).*@|[^\\s\"'=,{\\[]*:[^\\s\"']*@");

    private static final Pattern NAMED =
            Pattern.compile(
                    "(?i)(?<![\\w-])(?![\\w-]*-(?:file(?![\"']?(?:\\s*+[=:]|\\s(?!\\s*[=:]))\\s*+"
                            + NO_FILE_NAME
                            + ")|path)\\b)"
                            + "(?:[\\w-]*(?:passw(?:or)?d|passphrase|secret|token|authorization"
                            + "|api-?key|credential)[\\w-]*|(?:set-)?cookie|(broker))[\"']?"
                            + "(?:\\s*+[=:]|\\s(?!\\s*[=:]))\\s*+(?!(?:true|false|\"memory\"|\"rediss?://[\\w.:/-]*\")\\W*(?:#|$))(\\S.*)");

    /** A string or a word, with the equals sign of a key. */
    private static final Pattern KEY =
            Pattern.compile("(\"(?:[^\"\\\\]|\\\\.)*+\"|'[^']*+'|[\\w-]++)(\\s*+=)?");

    private static final Pattern QUOTED = Pattern.compile("\"([^\"]*)\"");
    private static final Pattern WORD = Pattern.compile("[^\\s\"'{}()$]{4,}");

    /** Returns a line with its secrets hidden. */
    static Secrets of(String line) {
        Matcher value = NAMED.matcher(line);
        boolean named = value.find();
        int from = named ? value.start(2) : line.length();
        int pem = line.indexOf(PEM);
        if (pem >= 0) from = Math.min(from, pem);
        boolean all = from < line.length();
        String shown = all ? line.substring(0, from) + MASK : line;
        String hidden = line.substring(from);
        Matcher user = IN_URL.matcher(shown);
        while (hasUser(shown) && user.find()) hidden += "\n" + user.group();
        boolean strict = pem >= 0 || named && value.group(1) == null;
        return new Secrets(withoutUsers(shown), hidden, strict);
    }

    /** Returns a line that is part of a secret of several lines. */
    static Secrets all(String line) {
        return new Secrets(MASK, line.strip(), true);
    }

    /** Returns whether the name of a key promises a secret. */
    static boolean isPromisedBy(String key) {
        return key.equals("key") || isPromised(key + " = \"x\"");
    }

    private static boolean isPromised(String line) {
        return NAMED.matcher(line).find();
    }

    /** Returns whether the value of an option for a file is the content of one. */
    static boolean isContent(String text) {
        return text.contains(PEM) || text.indexOf('\n') >= 0 || text.indexOf('\r') >= 0;
    }

    /**
     * Returns whether the value of a key that names a file with a secret is probably the secret: a
     * name with a dot or a slash is none, unless it has a sign of Base64.
     */
    static boolean isIn(String key, String text) {
        return key.endsWith("-file") && isPromised(key + " = \"" + text + "\"");
    }

    /** Returns the valid value of an option, or {@code ***} in the place of a secret in it. */
    static String ofValue(String key, String text) {
        Matcher named = NAMED.matcher(key + " = " + Escapes.quoted(text));
        boolean all = !text.isEmpty() && named.find() && named.group(1) == null;
        if (all) return MASK;
        return text.contains("://")
                ? text.replaceAll("(?<=://).*@", MASK + "@")
                : withoutUsers(text);
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
        if (word.isEmpty() || shown.contains(word) || names().contains(word)) {
            return false;
        }
        return strict || hidden.contains(word);
    }

    /** Returns the keys of an inline table that follow a secret of the line. */
    private Set<String> names() {
        return KEY.matcher(hidden)
                .results()
                .filter(found -> found.group(2) != null)
                .map(found -> found.group(1).replaceAll("[\"']", ""))
                .collect(Collectors.toSet());
    }

    /** The pattern takes time quadratic in the length of a text, so most do without it. */
    private static boolean hasUser(String text) {
        return text.indexOf('@') >= 0;
    }

    private static String withoutUsers(String text) {
        if (!hasUser(text)) return text;
        return IN_URL.matcher(text)
                .replaceAll(
                        found ->
                                Matcher.quoteReplacement(
                                        found.group().contains("[user]:password@") // in a hint
                                                ? found.group()
                                                : MASK + "@"));
    }
}
