// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import java.util.HashMap;
import java.util.Map;

/**
 * Parses {@code CDN-Cache-Control} (RFC 9213), a dictionary of structured fields (RFC 8941 3.2). A
 * field that is malformed or empty is ignored as a whole, and {@code Cache-Control} counts. Used
 * once.
 */
final class TargetedCacheControl {
    static final String NAME = "CDN-Cache-Control";

    private final String text;
    private int at;

    private TargetedCacheControl(String text) {
        this.text = text;
    }

    /** The text is no dictionary. */
    private static final class Malformed extends Exception {
        private static final long serialVersionUID = 1;

        Malformed() {
            super(null, null, false, false);
        }
    }

    /** Returns the directives; null if the field is absent, empty or malformed. */
    static CacheControl parse(String field) {
        if (field == null) {
            return null;
        }
        try {
            Map<String, String> members = new TargetedCacheControl(field.strip()).dictionary();
            return members.isEmpty() ? null : new CacheControl(members);
        } catch (Malformed e) {
            return null;
        }
    }

    private Map<String, String> dictionary() throws Malformed {
        var members = new HashMap<String, String>();
        while (at < text.length()) {
            String name = key();
            String value = "";
            if (take('=')) {
                value = peek() == '(' ? list() : item();
            }
            parameters();
            if (value == null) {
                members.remove(name); // ?0: as if it were absent
            } else {
                members.put(name, value); // the last one counts (RFC 8941 3.2)
            }
            space();
            if (at < text.length()) {
                expect(',');
                space();
                if (at == text.length()) {
                    throw new Malformed();
                }
            }
        }
        return members;
    }

    private String key() throws Malformed {
        int from = at;
        if (!(peek() >= 'a' && peek() <= 'z' || peek() == '*')) {
            throw new Malformed();
        }
        while (peek() >= 'a' && peek() <= 'z' || digit(peek()) || "_-.*".indexOf(peek()) >= 0) {
            at++;
        }
        return text.substring(from, at);
    }

    /** Returns an item as text, "" for true and null for false. Only integers are all digits. */
    private String item() throws Malformed {
        char c = peek();
        if (c == '"') {
            return "\"" + string() + "\"";
        }
        if (c == '?') {
            at++;
            boolean value = take('1');
            if (!value) {
                expect('0');
            }
            return value ? "" : null;
        }
        int from = at;
        if (c == ':') {
            at = text.indexOf(':', at + 1) + 1;
            if (at == 0) {
                throw new Malformed();
            }
            return text.substring(from, at);
        }
        boolean number = digit(c) || c == '-';
        if (!number && !letter(c) && c != '*') {
            throw new Malformed();
        }
        at++;
        while (number
                ? digit(peek()) || peek() == '.'
                : peek() != 0
                        && (letter(peek())
                                || digit(peek())
                                || "!#$%&'*+-.^_`|~:/".indexOf(peek()) >= 0)) {
            at++;
        }
        if (number && at - from > 16) {
            throw new Malformed();
        }
        return text.substring(from, at);
    }

    private String string() throws Malformed {
        expect('"');
        int from = at;
        while (peek() != '"') {
            if (peek() == '\\') {
                at++;
            }
            if (peek() < ' ' || peek() > '~') {
                throw new Malformed();
            }
            at++;
        }
        at++;
        return text.substring(from, at - 1);
    }

    private String list() throws Malformed {
        int from = at;
        expect('(');
        space();
        while (!take(')')) {
            item();
            parameters();
            space();
        }
        return text.substring(from, at);
    }

    private void parameters() throws Malformed {
        while (take(';')) {
            space();
            key();
            if (take('=')) {
                item();
            }
        }
    }

    private void space() {
        while (peek() == ' ' || peek() == '\t') {
            at++;
        }
    }

    private char peek() {
        return at < text.length() ? text.charAt(at) : 0;
    }

    private boolean take(char c) {
        boolean there = peek() == c;
        at += there ? 1 : 0;
        return there;
    }

    private void expect(char c) throws Malformed {
        if (!take(c)) {
            throw new Malformed();
        }
    }

    private static boolean digit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean letter(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z';
    }
}
