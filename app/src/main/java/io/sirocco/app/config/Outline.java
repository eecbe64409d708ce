// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The positions of keys and values in a TOML text. {@link Toml}, which reads the values, does not
 * keep them. An outline of any text can be made: Toml decides whether the text is valid. Tests
 * compare the two. Immutable once created.
 */
final class Outline {
    /** The maximum depth of nesting; options need four. */
    static final int DEEPEST = 32;

    /** The maximum length of a number; no option takes a longer one. */
    static final int LONGEST_NUMBER = 200;

    /** A key with its value. The value of a table begins where its name does. */
    static final class Spot {
        int keyFrom;
        int keyTo;
        int from;
        int to;

        /** The earlier definition of the same key, or null. */
        Spot earlier;

        final Map<String, Spot> fields = new LinkedHashMap<>();
        final List<Spot> items = new ArrayList<>();

        private Spot(int from, int to) {
            keyFrom = from;
            keyTo = to;
            this.from = from;
            this.to = to;
        }
    }

    private record Key(String name, int from, int to) {}

    private final String text;
    private final Spot root = new Spot(-1, -1);
    private final List<Spot> keys = new ArrayList<>();
    private int at;
    private int unclosed = -1;
    private int excess = -1;
    private String why = "";

    Outline(String text) {
        this.text = text;
        Spot table = root;
        while (at < text.length()) {
            int before = at;
            skipSpace(true);
            if (peek() == '[') {
                table = header();
            } else if (at < text.length()) {
                keyValue(table, 0);
            }
            skipSpace(false);
            if (at < text.length() && peek() != '\n' && peek() != '#' || at == before) {
                toLineEnd();
            }
        }
    }

    Spot root() {
        return root;
    }

    /** Returns where the text exceeds these limits, or -1. */
    int excess() {
        return excess;
    }

    /** Returns a message for it. */
    String why() {
        return why;
    }

    /** Returns the offset of a quote, bracket or brace that is not closed, or -1. */
    int unclosed() {
        return unclosed;
    }

    /** Returns how many keys and headers there are. */
    int keys() {
        return keys.size();
    }

    /** Returns all keys and headers, in the order of the text. */
    List<Spot> inOrder() {
        return Collections.unmodifiableList(keys);
    }

    /** Returns whether a key or header is repeated, which may be an error. */
    boolean hasRepeatedKey() {
        return keys.stream().anyMatch(key -> key.earlier != null);
    }

    /** Returns the last key that begins before an offset, or null. */
    Spot keyBefore(int offset) {
        Spot last = null;
        for (Spot key : keys) {
            if (key.keyFrom >= offset) break;
            last = key;
        }
        return last;
    }

    /** Reads {@code [a.b]} or {@code [[a.b]]} and returns the table that begins there. */
    private Spot header() {
        int dots = text.startsWith("[[", at) ? 2 : 1;
        at += dots;
        List<Key> path = path();
        for (int i = 0; i < dots && peek() == ']'; i++) at++;
        if (path.isEmpty()) return new Spot(at, at);
        Spot parent = descend(root, path);
        Key last = path.getLast();
        Spot own = parent.fields.get(last.name);
        if (dots == 1) {
            var again = new Spot(last.from, last.to);
            again.earlier = own;
            keys.add(again);
            if (own == null) parent.fields.put(last.name, own = again);
            return own.items.isEmpty() ? own : own.items.getLast();
        }
        if (own == null) parent.fields.put(last.name, own = new Spot(last.from, last.to));
        var item = new Spot(last.from, last.to);
        item.earlier = own.items.isEmpty() && own.keyFrom != last.from ? own : null;
        keys.add(item);
        own.items.add(item);
        return item;
    }

    private void keyValue(Spot table, int depth) {
        List<Key> path = path();
        if (path.isEmpty()) return;
        Key last = path.getLast();
        Spot parent = descend(table, path);
        var own = new Spot(last.from, last.to);
        own.earlier = parent.fields.putIfAbsent(last.name, own);
        keys.add(own);
        skipSpace(false);
        if (peek() != '=') return;
        at++;
        skipSpace(false);
        value(own, depth + 1);
    }

    private Spot descend(Spot from, List<Key> path) {
        Spot table = from;
        for (Key key : path.subList(0, path.size() - 1)) {
            table = table.fields.computeIfAbsent(key.name, _ -> new Spot(key.from, key.to));
            if (!table.items.isEmpty()) table = table.items.getLast();
        }
        return table;
    }

    /** Reads {@code a."b c".d}; returns an empty list if there is no key. */
    private List<Key> path() {
        var path = new ArrayList<Key>();
        do {
            skipSpace(false);
            int from = at;
            if (peek() == '"' || peek() == '\'') {
                skipText();
                path.add(new Key(Escapes.decoded(text, from, at), from, at));
            } else {
                while (at < text.length() && ".=[]{},#\"' \t\r\n".indexOf(peek()) < 0) at++;
                if (at == from) break;
                path.add(new Key(text.substring(from, at), from, at));
            }
            skipSpace(false);
            if (path.size() == DEEPEST) tooDeep(from);
        } while (peek() == '.' && at++ >= 0);
        return path;
    }

    private void value(Spot spot, int depth) {
        spot.from = at;
        if (depth > DEEPEST) tooDeep(at);
        switch (peek()) {
            case '"', '\'' -> skipText();
            case '[' -> items(spot, depth);
            case '{' -> inline(spot, depth);
            default -> scalar();
        }
        spot.to = at;
    }

    private void items(Spot spot, int depth) {
        int open = at++;
        skipSpace(true);
        while (at < text.length() && peek() != ']' && excess < 0) {
            int before = at;
            var item = new Spot(at, at);
            value(item, depth + 1);
            spot.items.add(item);
            skipSpace(true);
            if (peek() == ',') at++;
            skipSpace(true);
            if (at == before) break;
        }
        close(open, ']');
    }

    private void inline(Spot spot, int depth) {
        int open = at++;
        skipSpace(true);
        while (at < text.length() && peek() != '}' && excess < 0) {
            int before = at;
            keyValue(spot, depth + 1);
            skipSpace(true);
            if (peek() == ',') at++;
            skipSpace(true);
            if (at == before) break;
        }
        close(open, '}');
    }

    private void close(int open, char with) {
        if (peek() == with) {
            at++;
        } else if (unclosed < 0) {
            unclosed = open;
        }
    }

    private void scalar() {
        int from = at;
        while (at < text.length() && ",]}#\n".indexOf(peek()) < 0) at++;
        while (at > from && " \t\r".indexOf(text.charAt(at - 1)) >= 0) at--;
        if (at - from > LONGEST_NUMBER) exceed(from, "this number is too long");
    }

    /** Skips a string of any of the four kinds. */
    private void skipText() {
        int open = at;
        char quote = peek();
        String three = String.valueOf(quote).repeat(3);
        boolean multi = text.startsWith(three, at);
        at += multi ? 3 : 1;
        while (at < text.length()) {
            char c = peek();
            if (c == '\\' && quote == '"') {
                at = Math.min(at + 2, text.length());
            } else if (multi && text.startsWith(three, at)) {
                at += 3;
                for (int i = 0; i < 2 && peek() == quote; i++) at++; // it may end in such quotes
                return;
            } else if (!multi && c == quote) {
                at++;
                return;
            } else if (!multi && c == '\n') {
                break;
            } else {
                at++;
            }
        }
        if (unclosed < 0) unclosed = open;
    }

    private void skipSpace(boolean lines) {
        while (at < text.length()) {
            char c = peek();
            if (lines && c == '#') {
                toLineEnd();
            } else if (c == ' ' || c == '\t' || lines && (c == '\n' || c == '\r')) {
                at++;
            } else {
                return;
            }
        }
    }

    private void toLineEnd() {
        int end = text.indexOf('\n', at);
        at = end < 0 ? text.length() : end;
    }

    private void tooDeep(int offset) {
        exceed(offset, "this is nested too deeply");
    }

    private void exceed(int offset, String why) {
        if (excess >= 0) return;
        excess = offset;
        this.why = why;
    }

    /** Returns the next character, or NUL at the end. */
    private char peek() {
        return at < text.length() ? text.charAt(at) : 0;
    }
}
