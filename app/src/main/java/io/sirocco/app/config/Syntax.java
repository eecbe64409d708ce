// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import io.sirocco.app.config.Outline.Spot;

/**
 * Says in an operator's words why a text is no TOML. Jackson knows that, and nearly where; what was
 * meant is guessed from the line. Used by one thread.
 */
final class Syntax {
    private static final String TEXT_IN_QUOTES = "a text stands in quotes: ";

    private final Source source;
    private final String text;
    private final Outline outline;

    Syntax(Source source, Outline outline) {
        this.source = source;
        this.text = source.text();
        this.outline = outline;
    }

    /** Takes what Jackson says, and the offset at which it stopped. */
    void explain(String why, int at, Report report) {
        if (why.startsWith("Duplicate key") || why.startsWith("Table redefined")) {
            twice(at, report);
        } else if (why.startsWith("Path into existing")) {
            taken(at, report);
        } else if (why.startsWith("Premature end") || why.startsWith("Newline not")) {
            unfinished(at, report);
        } else if (why.startsWith("Unknown token") || why.startsWith("More data after")) {
            word(at, report);
        } else if (why.startsWith("Unknown escape")) {
            report.error(
                    source.place(at, at + 2),
                    "\"" + text.substring(at, Math.min(at + 2, text.length())) + "\" is no escape",
                    "write \\\\ for a backslash, or put the text in 'single quotes'");
        } else if (why.startsWith("Trailing comma")) {
            report.error(source.place(at, at + 1), "nothing follows this comma", "leave it out");
        } else if (why.startsWith("Comment not")) {
            int end = text.indexOf('\n', at);
            report.error(
                    source.place(at, end < 0 ? text.length() : end),
                    "a comment cannot stand here",
                    "put it in a line of its own above");
        } else if (why.startsWith("Zero-prefixed")) {
            report.error(token(at), "a number does not begin with 0", "");
        } else {
            report.error(
                    source.place(at, at + 1),
                    "this is not TOML: " + Character.toLowerCase(why.charAt(0)) + why.substring(1),
                    "");
        }
    }

    private void twice(int at, Report report) {
        Spot key = outline.keyBefore(at);
        if (key == null) key = outline.root();
        String name = text.substring(Math.max(0, key.keyFrom), Math.max(0, key.keyTo));
        String hint =
                key.earlier == null
                        ? ""
                        : "the first time in line "
                                + source.place(key.earlier.keyFrom, key.earlier.keyTo).line();
        report.error(source.place(key.keyFrom, key.keyTo), quoted(name) + " is set twice", hint);
    }

    private void taken(int at, Report report) {
        Spot key = outline.keyBefore(at);
        if (key == null) key = outline.root();
        String name = text.substring(Math.max(0, key.keyFrom), Math.max(0, key.keyTo));
        boolean list = key.earlier != null && !key.earlier.items.isEmpty();
        report.error(
                source.place(key.keyFrom, key.keyTo),
                quoted(name) + (list ? " is a list of tables" : " cannot be put into a value"),
                list
                        ? "write [[" + name + "]] for a further one"
                        : "what it lies in has been set to something else above");
    }

    /** The line or the file ends where more must come. */
    private void unfinished(int at, Report report) {
        int open = outline.unclosed();
        int begin = text.lastIndexOf('\n', at - 1) + 1;
        String line = text.substring(begin, at).strip();
        if (line.endsWith("=")) {
            int end = begin + text.substring(begin, at).stripTrailing().length();
            report.error(source.place(end - 1, end), "a value must follow", "");
        } else if (line.startsWith("[") && !line.contains("=")) {
            report.error(source.place(at, at + 1), "the name of a table ends with ]", "");
        } else if (open >= 0 && (text.charAt(open) == '"' || text.charAt(open) == '\'')) {
            report.error(source.place(open, open + 1), "nothing closes this quote", "");
        } else if (open >= 0) {
            String what = text.charAt(open) == '{' ? "brace" : "bracket";
            report.error(source.place(open, open + 1), "nothing closes this " + what, "");
        } else {
            report.error(
                    source.place(at, at + 1),
                    "the line ends too early",
                    "a table in braces stands on one line");
        }
    }

    /** A word that is no value, or no key. */
    private void word(int at, Report report) {
        int begin = text.lastIndexOf('\n', at - 1) + 1;
        String before = text.substring(begin, at);
        Place token = token(at);
        String word = text.substring(token.from(), token.to());
        if (before.strip().endsWith("=") && text.startsWith("=", at)) {
            report.error(source.place(at, at + 1), "one = is enough", "");
        } else if (before.contains("=") || before.strip().startsWith("[") || isInList(at)) {
            report.error(token, quoted(word) + " is no value", meant(word));
        } else if (text.startsWith(":", at) || !before.isBlank()) {
            report.error(source.place(at, at + 1), "= must stand between a key and its value", "");
        } else {
            report.error(
                    source.place(at, at + 1),
                    "this cannot begin a key",
                    "a key is made of letters, digits, - and _; put any other in quotes");
        }
    }

    private boolean isInList(int at) {
        Spot key = outline.keyBefore(at);
        return key != null && !key.items.isEmpty() && key.from < at && at <= key.to;
    }

    private static String meant(String word) {
        if (word.matches("(?i)true|yes|on|enabled?")) return "write true";
        if (word.matches("(?i)false|no|off|disabled?|none|null")) return "write false";
        if (word.matches("'[^']*'[^']*'")) {
            return "put a text that has single quotes in \"double quotes\"";
        }
        if (word.contains("=")) return "each option stands in a line of its own";
        if (word.isEmpty() || word.matches(".*[\"'].*")) return "is a quote missing or too many?";
        return TEXT_IN_QUOTES + quoted(word);
    }

    /** The value around an offset: from the = or the comma before it to the end of the line. */
    private Place token(int at) {
        int from = at;
        while (from > 0 && "=,[{\n".indexOf(text.charAt(from - 1)) < 0) from--;
        while (from < at && Character.isWhitespace(text.charAt(from))) from++;
        int to = at;
        while (to < text.length() && ",]}#\r\n".indexOf(text.charAt(to)) < 0) to++;
        while (to > at && Character.isWhitespace(text.charAt(to - 1))) to--;
        return source.place(from, Math.max(to, from));
    }

    private static String quoted(String word) {
        return word.startsWith("\"") ? word : "\"" + word + "\"";
    }
}
