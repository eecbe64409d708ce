// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import io.sirocco.app.config.Outline.Spot;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Explains to an operator why a text is not TOML. Jackson reports the error and roughly its offset;
 * this class guesses from the line what was meant. Used by one thread.
 */
final class Syntax {
    private static final String KEYS =
            "a key has the letters a to z, digits, - and _; put any other key in quotes";

    /** The quotes of typesetting, which word processors and web pages put in place of others. */
    private static final Pattern QUOTES =
            Pattern.compile("[\\u2018-\\u201F\\u00AB\\u00BB\\u2032-\\u2037]");

    private final Source source;
    private final String text;
    private final Outline outline;
    private Report report;

    /** Takes the text of the source, in which lines that were reported before are blank. */
    Syntax(Source source, String text, Outline outline) {
        this.source = source;
        this.text = text;
        this.outline = outline;
    }

    /**
     * Reports the error of Jackson at the offset where it stopped. Returns whether the error
     * concerns this line alone.
     */
    boolean explain(String why, int at, Report report) {
        this.report = report;
        if (why.startsWith("Duplicate key") || why.startsWith("Table redefined")) {
            twice(at);
            return false;
        }
        if (why.startsWith("Path into existing")) {
            taken(at);
            return false;
        }
        if (why.startsWith("Premature end") || why.startsWith("Newline not")) {
            return unfinished(at);
        }
        if (why.contains("TABLE_CLOSE")) {
            header(at);
            return false;
        }
        if (why.startsWith("Unknown token") || why.startsWith("More data after")) {
            word(at);
        } else if (why.startsWith("Unknown escape")) {
            int end = Math.min(at + 2, text.length());
            error(
                    at,
                    end,
                    "\"" + text.substring(at, end) + "\" is not an escape sequence",
                    "write \\\\ for a backslash, or put the string in 'single quotes'");
        } else if (why.startsWith("Trailing comma")) {
            error(at, at + 1, "nothing follows this comma", "remove it");
        } else if (why.startsWith("Comment not")) {
            int end = text.indexOf('\n', at);
            error(
                    at,
                    end < 0 ? text.length() : end,
                    "a comment is not allowed here",
                    "move it to a line of its own above");
            return false;
        } else if (why.startsWith("Zero-prefixed")) {
            report.error(token(at), "a number must not begin with 0", "");
        } else if (text.startsWith("=", at)) {
            error(at, at + 1, "the key before = is missing", "");
        } else {
            String said = Character.toLowerCase(why.charAt(0)) + why.substring(1);
            error(at, at + 1, "this is not TOML: " + said, "");
        }
        return true;
    }

    private void error(int from, int to, String message, String hint) {
        report.error(source.position(from, to), message, hint);
    }

    private void twice(int at) {
        Spot key = outline.keyBefore(at);
        if (key == null) key = outline.root();
        String hint =
                key.earlier == null
                        ? ""
                        : "first in line "
                                + source.position(key.earlier.keyFrom, key.earlier.keyTo).line();
        error(key.keyFrom, key.keyTo, quoted(name(key)) + " is set twice", hint);
    }

    private void taken(int at) {
        Spot key = outline.keyBefore(at);
        if (key == null) key = outline.root();
        if (key.earlier == null || key.earlier.items.isEmpty()) {
            error(
                    key.keyFrom,
                    key.keyTo,
                    quoted(name(key)) + " cannot be inside a value",
                    "its parent is set to a value above");
            return;
        }
        Spot first = key.earlier.items.getFirst();
        Spot table = first == key ? key.earlier : key; // the one that begins with [
        if (Options.isListOfTables(name(key))) {
            String hint =
                    "write [[" + header(table) + "]]" + (table == key ? " for another one" : "");
            error(table.keyFrom, table.keyTo, quoted(name(key)) + " is a list of tables", hint);
        } else {
            String hint = "write [" + header(table) + "] once";
            error(first.keyFrom, first.keyTo, quoted(name(key)) + " is a single table", hint);
        }
    }

    /** Reports a header whose brackets do not match; Jackson stops in it, or in the next line. */
    private void header(int at) {
        int begin = lineBegin(Math.max(0, at - 1));
        int end = text.indexOf('\n', begin);
        String line = text.substring(begin, end < 0 ? text.length() : end).stripTrailing();
        boolean two = line.strip().startsWith("[[");
        error(
                begin,
                begin + line.length(),
                "the brackets of this header do not match",
                two ? "end it with ]]" : "end it with one ]");
    }

    /** Returns the whole name of a table, whose last part is the key: {@code site.route}. */
    private String header(Spot key) {
        return text.substring(text.lastIndexOf('[', key.keyFrom) + 1, key.keyTo).strip();
    }

    private String name(Spot key) {
        return key.keyFrom < 0 ? "" : text.substring(key.keyFrom, key.keyTo);
    }

    /** Reports that the line or the file ends too early; returns whether it is only the line. */
    private boolean unfinished(int at) {
        int open = outline.unclosed();
        int begin = lineBegin(at);
        String line = text.substring(begin, at);
        if (line.strip().endsWith("=")) {
            int end = begin + line.stripTrailing().length();
            error(end - 1, end, "the value after = is missing", "");
            return true;
        }
        if (line.strip().startsWith("[") && !line.contains("=")) {
            error(at, at + 1, "the ] after the table name is missing", "");
            return true;
        }
        if (open >= 0) {
            char opening = text.charAt(open);
            String what = opening == '{' ? "brace" : opening == '[' ? "bracket" : "quote";
            error(open, open + 1, "this " + what + " is not closed", "");
            return opening == '"' && !text.startsWith("\"\"\"", open);
        }
        if (!line.contains("=") && !line.isBlank()) {
            int from = begin + line.length() - line.stripLeading().length();
            error(from, at, "the = and a value are missing", "");
            return true;
        }
        error(at, at + 1, "the line ends too early", "a table in braces must be on one line");
        return false;
    }

    /** Reports a word that is not a value or not a key. */
    private void word(int at) {
        String before = text.substring(lineBegin(at), at);
        SourcePosition token = token(at);
        String word = text.substring(token.from(), token.to());
        if (before.strip().endsWith("=") && text.startsWith("=", at)) {
            error(at, at + 1, "there is one = too many", "");
        } else if (before.contains("=") && word.endsWith(";")) {
            error(token.to() - 1, token.to(), "a line must not end with a semicolon", "remove it");
        } else if (before.contains("=") && !isInList(at) && endsWithComma(token.to())) {
            error(token.to(), token.to() + 1, "a line must not end with a comma", "remove it");
        } else if (before.contains("=") || before.strip().startsWith("[") || isInList(at)) {
            report.error(token, quoted(word) + " is not a value", meant(word));
        } else if (before.isBlank() || isPartOfKey(at)) {
            boolean quote =
                    QUOTES.matcher(text.substring(at, Math.min(at + 1, text.length()))).matches();
            error(
                    at,
                    at + 1,
                    "this character is not allowed in a key",
                    quote ? "use straight quotes, or none" : KEYS);
        } else {
            String hint = word.endsWith("{") ? "a table begins with a header: [name]" : "";
            error(at, at + 1, "the = between key and value is missing", hint);
        }
    }

    private boolean endsWithComma(int at) {
        int end = text.indexOf('\n', at);
        String rest = text.substring(at, end < 0 ? text.length() : end);
        return rest.startsWith(",") && rest.substring(1).isBlank();
    }

    private boolean isPartOfKey(int at) {
        return at < text.length() && ": \t\r\n".indexOf(text.charAt(at)) < 0;
    }

    private boolean isInList(int at) {
        Spot key = outline.keyBefore(at);
        return key != null && !key.items.isEmpty() && key.from < at && at <= key.to;
    }

    private static String meant(String word) {
        if (word.matches("(?i)true|yes|on|enabled?")) return "write true";
        if (word.matches("(?i)false|no|off|disabled?|none|null")) return "write false";
        if (word.matches("'[^']*'[^']*'")) {
            return "put a string with single quotes in \"double quotes\"";
        }
        Matcher quotes = QUOTES.matcher(word);
        if (quotes.find()) return "use straight quotes: " + quoted(quotes.replaceAll(""));
        if (word.contains("=")) return "put each option on its own line";
        if (word.isEmpty() || word.matches(".*[\"'].*"))
            return "is there a quote missing, or one too many?";
        return "put strings in quotes: " + quoted(word);
    }

    /** Returns the value around an offset: from the = or the comma before it to its end. */
    private SourcePosition token(int at) {
        int from = at;
        while (from > 0 && "=,[{\n".indexOf(text.charAt(from - 1)) < 0) from--;
        while (from < at && Character.isWhitespace(text.charAt(from))) from++;
        int to = at;
        while (to < text.length() && ",]}#\r\n".indexOf(text.charAt(to)) < 0) to++;
        while (to > at && Character.isWhitespace(text.charAt(to - 1))) to--;
        return source.position(from, Math.max(to, from));
    }

    private int lineBegin(int at) {
        return text.lastIndexOf('\n', at - 1) + 1;
    }

    private static String quoted(String word) {
        return word.startsWith("\"") ? word : "\"" + word + "\"";
    }
}
