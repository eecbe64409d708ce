// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.log;

/**
 * Text of others, such as clients and scripts, as it goes into a log: it can neither look like
 * another line of the log nor control a terminal. Any thread.
 */
public final class LogText {
    private LogText() {}

    /**
     * Returns {@code text} with four spaces at the beginning of its second and further lines, and
     * {@code ?} for each control character but line feeds and tabs, for the line and paragraph
     * separators of Unicode, and for its characters that change the direction in which text is
     * shown (UAX #9, 2).
     */
    public static String of(String text) {
        int i = 0;
        while (i < text.length() && isPlain(text.charAt(i))) {
            i++;
        }
        if (i == text.length()) {
            return text;
        }
        var out = new StringBuilder(text.length() + 16).append(text, 0, i);
        for (; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\n') {
                out.append("\n    ");
            } else if (c == '\r' && i + 1 < text.length() && text.charAt(i + 1) == '\n') {
                continue; // one end of a line
            } else {
                out.append(isPlain(c) ? c : '?');
            }
        }
        return out.toString();
    }

    private static boolean isPlain(char c) {
        return c == '\t' || !Character.isISOControl(c) && (c < '\u061c' || !isFormat(c));
    }

    private static boolean isFormat(char c) {
        return c == '\u061c' // marks, embeddings, overrides and isolates
                || c >= '\u2028' && c <= '\u202e'
                || c == '\u200e'
                || c == '\u200f'
                || c >= '\u2066' && c <= '\u2069';
    }
}
