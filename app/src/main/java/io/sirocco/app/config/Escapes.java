// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

/** Decodes and encodes quoted keys and strings of TOML. */
final class Escapes {
    private Escapes() {}

    /** Decodes a string on one line, given with its quotes; invalid escapes stay as they are. */
    static String decoded(String source, int from, int to) {
        boolean closed = to - from >= 2 && source.charAt(to - 1) == source.charAt(from);
        String inner = source.substring(from + 1, closed ? to - 1 : to);
        if (source.charAt(from) == '\'' || inner.indexOf('\\') < 0) return inner;
        var text = new StringBuilder();
        for (int i = 0; i < inner.length(); i++) {
            char c = inner.charAt(i);
            if (c != '\\' || ++i == inner.length()) {
                text.append(c);
                continue;
            }
            char escape = inner.charAt(i);
            switch (escape) {
                case 'b' -> text.append('\b');
                case 't' -> text.append('\t');
                case 'n' -> text.append('\n');
                case 'f' -> text.append('\f');
                case 'r' -> text.append('\r');
                case 'u', 'U' -> {
                    int digits = escape == 'u' ? 4 : 8;
                    text.append(character(inner, i + 1, digits));
                    i += digits;
                }
                default -> text.append(escape);
            }
        }
        return text.toString();
    }

    private static String character(String text, int from, int digits) {
        if (from + digits > text.length()) return "\uFFFD";
        try {
            return Character.toString(Integer.parseInt(text, from, from + digits, 16));
        } catch (IllegalArgumentException e) {
            return "\uFFFD";
        }
    }

    /** Returns a string in double quotes that both TOML and JSON can read. */
    static String quoted(String text) {
        var quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> quoted.append("\\\"");
                case '\\' -> quoted.append("\\\\");
                case '\n' -> quoted.append("\\n");
                case '\t' -> quoted.append("\\t");
                case '\r' -> quoted.append("\\r");
                default -> {
                    if (Character.isISOControl(c)) {
                        quoted.append("\\u%04x".formatted((int) c));
                    } else {
                        quoted.append(c);
                    }
                }
            }
        }
        return quoted.append('"').toString();
    }
}
