// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sirocco.http.message.CheckedHeaders;
import io.sirocco.http.message.Grammar;
import io.sirocco.http.message.Octets;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * An ordered list of HTTP headers. Names are case-insensitive, and a name may occur several times,
 * as {@code Set-Cookie} does.
 *
 * <p>Every header can be sent safely: a name is a token (RFC 9110 5.1), and a value is Latin-1 text
 * without control characters other than HTAB (RFC 9110 5.5). Whitespace around a value is removed.
 * Other names and values throw {@link IllegalArgumentException}.
 *
 * <p>Headers are kept as the bytes that are sent, so to copy or to send them costs little, while
 * each call of {@link #name} and {@link #value} creates a string. Immutable.
 */
public final class Headers {
    private static final Headers NONE = new Headers(new byte[0], new int[] {0}, ISO_8859_1);

    static {
        CheckedHeaders.access(
                new CheckedHeaders.Access() {
                    @Override
                    public Headers of(byte[] lines, int[] marks, Charset charset) {
                        return marks.length == 1 ? NONE : new Headers(lines, marks, charset);
                    }

                    @Override
                    public byte[] lines(Headers headers) {
                        return headers.lines;
                    }
                });
    }

    /** Each header as it is sent: name, colon, space, value, CR LF. */
    private final byte[] lines;

    /** Where header i begins, at 2 i, and where its name ends, at 2 i + 1; the last is the end. */
    private final int[] marks;

    /** Latin-1, except for the headers of a part of a multipart body. */
    private final Charset charset;

    private Headers(byte[] lines, int[] marks, Charset charset) {
        this.lines = lines;
        this.marks = marks;
        this.charset = charset;
    }

    /** Returns an empty list. */
    public static Headers none() {
        return NONE;
    }

    /**
     * Creates headers from alternating names and values: {@code Headers.of("Vary", "Accept", "Age",
     * "7")}.
     *
     * @throws IllegalArgumentException if a name or value is invalid, or the last name has no value
     */
    public static Headers of(String... namesAndValues) {
        if (namesAndValues.length % 2 != 0) {
            throw new IllegalArgumentException(
                    "Names and values come in pairs; the last name has no value.");
        }
        Builder builder = builder();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            builder.add(namesAndValues[i], namesAndValues[i + 1]);
        }
        return builder.build();
    }

    /** Returns an empty builder. */
    public static Builder builder() {
        return new Builder(ISO_8859_1, 16, 512);
    }

    /**
     * Returns these headers with another one at the end, even if the name is already present.
     *
     * @throws IllegalArgumentException if the name or value is invalid
     */
    public Headers with(String name, String value) {
        return more(1, name.length() + value.length() + 4).add(this).add(name, value).build();
    }

    /** Returns these headers followed by {@code others}, even if a name is already present. */
    public Headers with(Headers others) {
        if (others.size() == 0) {
            return this;
        }
        return size() == 0
                ? others
                : more(others.size(), others.lines.length).add(this).add(others).build();
    }

    /** Returns an empty builder with room for these headers and more. */
    private Builder more(int headers, int bytes) {
        return new Builder(charset, size() + headers, lines.length + bytes);
    }

    /**
     * Returns these headers with a single value for the name. It takes the place of the first
     * header of this name, or the end.
     *
     * @throws IllegalArgumentException if the name or value is invalid
     */
    public Headers set(String name, String value) {
        int at = indexOf(name, 0);
        if (at < 0) {
            return with(name, value);
        }
        Builder kept = more(1, name.length() + value.length() + 4).add(this, 0, at);
        kept.add(name, value);
        return keepOthers(name, at + 1, kept).build();
    }

    /** Returns these headers without those of the name. */
    public Headers without(String name) {
        int at = indexOf(name, 0);
        return at < 0 ? this : keepOthers(name, at + 1, more(0, 0).add(this, 0, at)).build();
    }

    private Builder keepOthers(String name, int from, Builder kept) {
        for (int i = from; i < size(); i++) {
            if (!isNamed(i, name)) {
                kept.add(this, i);
            }
        }
        return kept;
    }

    /** Returns the first value of a name. */
    public Optional<String> first(String name) {
        int at = indexOf(name, 0);
        return at < 0 ? Optional.empty() : Optional.of(value(at));
    }

    /** Returns all values of a name in order; empty if the name is absent. */
    public List<String> all(String name) {
        int at = indexOf(name, 0);
        if (at < 0) {
            return List.of();
        }
        var values = new ArrayList<String>();
        for (; at >= 0; at = indexOf(name, at + 1)) {
            values.add(value(at));
        }
        return List.copyOf(values);
    }

    /** Returns whether the name is present. */
    public boolean has(String name) {
        return indexOf(name, 0) >= 0;
    }

    /** Returns the number of headers. */
    public int size() {
        return marks.length / 2;
    }

    /** Calls {@code action} for the name and value of each header, in order. */
    public void forEach(BiConsumer<String, String> action) {
        for (int i = 0; i < size(); i++) {
            action.accept(name(i), value(i));
        }
    }

    /** Returns the name of the header at an index, 0 to {@code size() - 1}. */
    public String name(int index) {
        return text(marks[2 * index], marks[2 * index + 1]);
    }

    /** Returns the value of the header at an index. */
    public String value(int index) {
        return text(marks[2 * index + 1] + 2, marks[2 * index + 2] - 2);
    }

    private String text(int from, int to) {
        return new String(lines, from, to - from, charset);
    }

    int nameLength(int index) {
        return marks[2 * index + 1] - marks[2 * index];
    }

    /** Returns whether the header at an index has this name. Creates no string. */
    public boolean isNamed(int index, String name) {
        int from = marks[2 * index];
        return marks[2 * index + 1] - from == name.length() && Octets.same(lines, from, name);
    }

    /** Returns whether the name of the header at an index begins so. Creates no string. */
    public boolean startsWith(int index, String prefix) {
        int from = marks[2 * index];
        return marks[2 * index + 1] - from >= prefix.length() && Octets.same(lines, from, prefix);
    }

    /** Returns each header as {@code name: value CRLF}, as it is sent. */
    @Override
    public String toString() {
        return text(0, lines.length);
    }

    /**
     * Returns whether {@code other} has the same headers in the same order. Names are
     * case-insensitive.
     */
    @Override
    public boolean equals(Object other) {
        return other instanceof Headers that && folded().equals(that.folded());
    }

    @Override
    public int hashCode() {
        return folded().hashCode();
    }

    private List<String> folded() {
        var list = new ArrayList<String>(marks.length);
        forEach(
                (name, value) -> {
                    list.add(name.toLowerCase(Locale.ROOT));
                    list.add(value);
                });
        return list;
    }

    private int indexOf(String name, int from) {
        for (int i = from; i < size(); i++) {
            if (isNamed(i, name)) {
                return i;
            }
        }
        return -1;
    }

    /** Collects headers one after the other. Used by one thread at a time. */
    public static final class Builder {
        private final Charset charset;
        private byte[] lines;
        private int length;
        private int[] marks;
        private int count;

        private Builder(Charset charset, int headers, int bytes) {
            this.charset = charset;
            this.lines = new byte[bytes];
            this.marks = new int[2 * headers + 1];
        }

        /**
         * Adds a header, even if the name is already present.
         *
         * @throws IllegalArgumentException if the name or value is invalid
         */
        public Builder add(String name, String value) {
            String trimmed = Grammar.trim(value);
            reserve(2, name.length() + trimmed.length() + 4);
            int at = length;
            for (int i = 0; i < name.length(); i++) {
                char c = name.charAt(i);
                if (c > 0xff || !Octets.TOKEN[c]) {
                    throw invalidName(name);
                }
                lines[at++] = (byte) c;
            }
            if (name.isEmpty()) {
                throw invalidName(name);
            }
            int nameEnd = at;
            lines[at++] = ':';
            lines[at++] = ' ';
            for (int i = 0; i < trimmed.length(); i++) {
                char c = trimmed.charAt(i);
                // Above U+00FF the upper byte would be lost, and U+010A would become LF.
                if (c < ' ' && c != '\t' || c == 0x7f || c > 0xff) {
                    throw invalidValue(name, value);
                }
                lines[at++] = (byte) c;
            }
            lines[at++] = '\r';
            lines[at++] = '\n';
            marks[count++] = length;
            marks[count++] = nameEnd;
            length = at;
            return this;
        }

        /** Adds the header of {@code others} at an index. */
        public Builder add(Headers others, int index) {
            return add(others, index, index + 1);
        }

        /** Adds the headers of {@code others} from an index on, up to another one. */
        public Builder add(Headers others, int from, int to) {
            if (from == to) {
                return this;
            }
            if (others.charset != charset) {
                for (int i = from; i < to; i++) {
                    add(others.name(i), others.value(i));
                }
                return this;
            }
            int begin = others.marks[2 * from];
            int bytes = others.marks[2 * to] - begin;
            reserve(2 * (to - from), bytes);
            System.arraycopy(others.lines, begin, lines, length, bytes);
            for (int i = 2 * from; i < 2 * to; i++) {
                marks[count++] = others.marks[i] - begin + length;
            }
            length += bytes;
            return this;
        }

        /** Adds all headers of {@code others}. */
        public Builder add(Headers others) {
            return add(others, 0, others.size());
        }

        private void reserve(int moreMarks, int moreBytes) {
            if (count + moreMarks >= marks.length) {
                marks = Arrays.copyOf(marks, 2 * (count + moreMarks) + 1);
            }
            if (length + moreBytes > lines.length) {
                lines = Arrays.copyOf(lines, Math.max(2 * lines.length, length + moreBytes));
            }
        }

        /** Returns the headers added so far. */
        public Headers build() {
            if (count == 0) {
                return NONE;
            }
            int[] ends = Arrays.copyOf(marks, count + 1);
            ends[count] = length;
            return new Headers(Arrays.copyOf(lines, length), ends, charset);
        }

        private static IllegalArgumentException invalidName(String name) {
            return new IllegalArgumentException(
                    "The header name "
                            + quoted(name)
                            + " is not a token; use letters, digits and '-'.");
        }

        private static IllegalArgumentException invalidValue(String name, String value) {
            boolean wide = value.chars().anyMatch(c -> c > 0xff);
            return new IllegalArgumentException(
                    "The value of header "
                            + name
                            + " is "
                            + quoted(value)
                            + ": "
                            + (wide ? "characters above U+00FF" : "control characters")
                            + " cannot be sent; remove or encode them.");
        }

        private static String quoted(String text) {
            var out = new StringBuilder("\"");
            text.chars()
                    .limit(80)
                    .forEach(
                            c -> {
                                if (c >= ' ' && c < 0x7f) {
                                    out.append((char) c);
                                } else {
                                    out.append("\\u%04x".formatted(c));
                                }
                            });
            return out.append('"').toString();
        }
    }
}
