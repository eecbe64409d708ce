// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.route;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.http.message.PercentDecoder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/**
 * The path pattern of a route, split at its slashes. A segment is
 *
 * <pre>
 *   users     a literal, not percent-encoded
 *   {id}      one segment that is not empty
 *   *         only at the end: the rest of the path, which may be empty or have many segments
 *   *.php     only at the end: the same, if the path ends so
 * </pre>
 *
 * <p>{@code /files/*} matches {@code /files/} and {@code /files/a/b}, but not {@code /files}.
 * {@code /img/*.png} matches {@code /img/a.png} and {@code /img/a/b.png}. Immutable.
 */
public record PathPattern(String text, List<Segment> segments) {

    sealed interface Segment {
        record Literal(String text) implements Segment {}

        record Param(String name) implements Segment {}

        record Rest() implements Segment {}

        record Suffix(String text) implements Segment {}
    }

    /**
     * Parses a pattern.
     *
     * @throws IllegalArgumentException if it is invalid; the message says what is wrong, where, and
     *     what to write instead
     */
    public static PathPattern parse(String text) {
        if (text == null) {
            throw new IllegalArgumentException("The path pattern is null; write \"/\" or another.");
        }
        if (text.startsWith("~") || text.startsWith("^")) {
            throw bad(text, "is no regular expression", "write a path, such as /img/* or /*.php");
        }
        if (!text.startsWith("/")) {
            throw bad(text, "does not begin with '/'", "write \"/" + text + "\"");
        }
        var segments = new ArrayList<Segment>();
        for (String part : text.substring(1).split("/", -1)) {
            segments.add(segment(text, part));
        }
        check(text, segments);
        return new PathPattern(text, List.copyOf(segments));
    }

    private static Segment segment(String text, String part) {
        if (part.equals("*")) {
            return new Segment.Rest();
        }
        if (part.startsWith("{") && part.endsWith("}")) {
            String name = part.substring(1, part.length() - 1);
            if (isName(name)) return new Segment.Param(name);
        }
        if (part.startsWith("*") && isPlain(part.substring(1))) {
            checkDecoded(text, "ends with \"" + part + "\"", part.substring(1));
            return new Segment.Suffix(part.substring(1));
        }
        String where = "has the segment \"" + part + "\"";
        if (part.equals(".") || part.equals("..")) {
            throw bad(text, where, "clients resolve it before they send a path; leave it out");
        }
        if (part.endsWith("...}")) {
            throw bad(text, where, "a wildcard for all that is left is written \"*\"");
        }
        if (hasAny(part, "{}*")) {
            throw bad(
                    text,
                    where,
                    "a segment is plain text, or {name} alone (letters, digits, '_', '-'), or * alone,"
                            + " or * with a suffix, such as *.php");
        }
        if (hasAny(part, "?#")) {
            throw bad(text, where, "a route has no query and no fragment; leave them out");
        }
        boolean colon = part.startsWith(":") && isName(part.substring(1));
        if (colon || part.startsWith("<") && part.endsWith(">")) {
            String name = part.replaceAll("[:<>]", "");
            throw bad(
                    text, where, "a parameter is written {" + (isName(name) ? name : "name") + "}");
        }
        checkDecoded(text, where, part);
        return new Segment.Literal(part);
    }

    /** A literal is compared with a decoded path, so an encoded one matches no request. */
    private static void checkDecoded(String text, String where, String part) {
        if (part.indexOf('%') < 0 || !encoded(part)) return;
        byte[] bytes = part.getBytes(UTF_8);
        if (PercentDecoder.wellFormed(bytes, 0, bytes.length)) {
            String decoded = PercentDecoder.decode(bytes, 0, bytes.length);
            throw bad(text, where, "a literal is not percent-encoded; write \"" + decoded + "\"");
        }
    }

    /** Returns whether a text has a percent sign with two hexadecimal digits. */
    private static boolean encoded(String text) {
        for (int at = text.indexOf('%'); at >= 0; at = text.indexOf('%', at + 1)) {
            if (at + 2 < text.length()
                    && Character.digit(text.charAt(at + 1), 16) >= 0
                    && Character.digit(text.charAt(at + 2), 16) >= 0) {
                return true;
            }
        }
        return false;
    }

    // Loops instead of regular expressions, which take milliseconds to load while a server starts.

    /** Returns whether a text has only ASCII letters, digits, '_' and '-', and '-' not first. */
    private static boolean isName(String text) {
        if (text.isEmpty() || text.startsWith("-")) return false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean letter = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z';
            if (!letter && !(c >= '0' && c <= '9') && c != '_' && c != '-') return false;
        }
        return true;
    }

    private static boolean isPlain(String text) {
        return !text.isEmpty() && !hasAny(text, "{}*?#");
    }

    private static boolean hasAny(String text, String characters) {
        for (int i = 0; i < text.length(); i++) {
            if (characters.indexOf(text.charAt(i)) >= 0) return true;
        }
        return false;
    }

    private static void check(String text, List<Segment> segments) {
        var names = new HashSet<String>();
        for (int i = 0; i < segments.size(); i++) {
            boolean last = i == segments.size() - 1;
            Segment segment = segments.get(i);
            if (segment instanceof Segment.Param(var name) && !names.add(name)) {
                throw bad(text, "has {" + name + "} twice", "give each its own name");
            }
            if (segment instanceof Segment.Literal(var part) && part.isEmpty() && !last) {
                throw bad(text, "has '//' at segment " + (i + 1), "write one '/'");
            }
            if ((segment instanceof Segment.Rest || segment instanceof Segment.Suffix) && !last) {
                throw bad(
                        text,
                        "has '*' before its end, in segment " + (i + 1),
                        "write {name} for one segment, or end the pattern with '*'");
            }
        }
    }

    private static IllegalArgumentException bad(String text, String what, String remedy) {
        return new IllegalArgumentException(
                "The path pattern \"" + text + "\" " + what + "; " + remedy + ".");
    }

    /** Returns the names of the parameters in order, {@code *} for the wildcard. */
    public String[] names() {
        return segments.stream()
                .filter(segment -> !(segment instanceof Segment.Literal))
                .map(segment -> segment instanceof Segment.Param(var name) ? name : "*")
                .toArray(String[]::new);
    }
}
