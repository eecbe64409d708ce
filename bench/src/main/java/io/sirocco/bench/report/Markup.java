// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Set;

/**
 * HTML and SVG that is well-formed XML by construction: text and values of attributes are escaped,
 * and elements nest. Attributes are given as name, value, name, value. Not for several threads at
 * once.
 */
final class Markup {
    /** Before these no line may be broken: it would show as a blank. */
    private static final Set<String> INLINE = Set.of("b", "span", "small", "code", "tspan", "a");

    private final StringBuilder out = new StringBuilder();
    private final Deque<String> open = new ArrayDeque<>();

    Markup open(String tag, String... attributes) {
        start(tag, attributes);
        out.append('>');
        open.push(tag);
        return this;
    }

    Markup close() {
        out.append("</").append(open.pop()).append('>');
        return this;
    }

    Markup text(String text) {
        escape(text);
        return this;
    }

    /** An element that holds text. */
    Markup element(String tag, String text, String... attributes) {
        return open(tag, attributes).text(text).close();
    }

    /** An element that holds nothing: of SVG, or a void one of HTML. */
    Markup empty(String tag, String... attributes) {
        start(tag, attributes);
        out.append("/>");
        return this;
    }

    /** Another's elements, all of them closed. */
    Markup add(Markup other) {
        out.append(other);
        return this;
    }

    /** A style sheet of our own: not escaped, so it holds neither less-than nor ampersand. */
    Markup style(String css) {
        if (css.contains("<") || css.contains("&")) {
            throw new IllegalArgumentException("a style sheet that would have to be escaped");
        }
        open("style");
        out.append(css);
        return close();
    }

    /** A comment of our own words. */
    Markup comment(String words) {
        out.append("\n<!-- ").append(words.replace("--", "- -")).append(" -->");
        return this;
    }

    /** A number as SVG wants it, to a tenth of a unit. */
    static String number(double value) {
        return String.format(Locale.ROOT, "%.1f", value).replaceFirst("\\.0$", "");
    }

    private void start(String tag, String... attributes) {
        if (!out.isEmpty() && !INLINE.contains(tag)) {
            out.append('\n');
        }
        out.append('<').append(tag);
        for (int i = 0; i < attributes.length; i += 2) {
            out.append(' ').append(attributes[i]).append("=\"");
            escape(attributes[i + 1]);
            out.append('"');
        }
    }

    private void escape(String text) {
        text.codePoints()
                .forEach(
                        c -> {
                            switch (c) {
                                case '<' -> out.append("&lt;");
                                case '>' -> out.append("&gt;");
                                case '&' -> out.append("&amp;");
                                case '"' -> out.append("&quot;");
                                default -> out.appendCodePoint(allowed(c) ? c : 0xfffd);
                            }
                        });
    }

    /** XML 1.0, 2.2: Char. */
    private static boolean allowed(int c) {
        return c >= ' ' && !(c >= 0xd800 && c < 0xe000) && c != 0xfffe && c != 0xffff
                || c == '\n'
                || c == '\t';
    }

    /**
     * @throws IllegalStateException when an element is still open
     */
    @Override
    public String toString() {
        if (!open.isEmpty()) {
            throw new IllegalStateException("still open: " + open);
        }
        return out.toString();
    }
}
