// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.http.message.CheckedHeaders;
import io.sirocco.http.message.Grammar;
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
 * <p>Immutable.
 */
public final class Headers {
    private static final Headers NONE = new Headers(new String[0]);

    static {
        CheckedHeaders.maker(Headers::new);
    }

    private final String[] pairs;

    /** Takes pairs that were checked. */
    private Headers(String[] pairs) {
        this.pairs = pairs;
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
        String[] pairs = namesAndValues.clone();
        for (int i = 0; i < pairs.length; i += 2) {
            check(pairs[i], pairs[i + 1]);
            pairs[i + 1] = Grammar.trim(pairs[i + 1]);
        }
        return pairs.length == 0 ? NONE : new Headers(pairs);
    }

    /**
     * Returns these headers with another one at the end, even if the name is already present.
     *
     * @throws IllegalArgumentException if the name or value is invalid
     */
    public Headers with(String name, String value) {
        check(name, value);
        String[] more = Arrays.copyOf(pairs, pairs.length + 2);
        more[pairs.length] = name;
        more[pairs.length + 1] = Grammar.trim(value);
        return new Headers(more);
    }

    /** Returns these headers followed by {@code others}, even if a name is already present. */
    public Headers with(Headers others) {
        if (others.pairs.length == 0) {
            return this;
        }
        String[] all = Arrays.copyOf(pairs, pairs.length + others.pairs.length);
        System.arraycopy(others.pairs, 0, all, pairs.length, others.pairs.length);
        return new Headers(all);
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
        check(name, value);
        var kept = new ArrayList<>(Arrays.asList(pairs).subList(0, at));
        kept.add(name);
        kept.add(Grammar.trim(value));
        keepOthers(name, at + 2, kept);
        return new Headers(kept.toArray(String[]::new));
    }

    /** Returns these headers without those of the name. */
    public Headers without(String name) {
        int at = indexOf(name, 0);
        if (at < 0) {
            return this;
        }
        var kept = new ArrayList<>(Arrays.asList(pairs).subList(0, at));
        keepOthers(name, at + 2, kept);
        return kept.isEmpty() ? NONE : new Headers(kept.toArray(String[]::new));
    }

    /** Returns the first value of a name. */
    public Optional<String> first(String name) {
        int at = indexOf(name, 0);
        return at < 0 ? Optional.empty() : Optional.of(pairs[at + 1]);
    }

    /** Returns all values of a name in order; empty if the name is absent. */
    public List<String> all(String name) {
        var values = new ArrayList<String>();
        for (int at = indexOf(name, 0); at >= 0; at = indexOf(name, at + 2)) {
            values.add(pairs[at + 1]);
        }
        return List.copyOf(values);
    }

    /** Returns whether the name is present. */
    public boolean has(String name) {
        return indexOf(name, 0) >= 0;
    }

    /** Returns the number of headers. */
    public int size() {
        return pairs.length / 2;
    }

    /** Calls {@code action} for the name and value of each header, in order. */
    public void forEach(BiConsumer<String, String> action) {
        for (int i = 0; i < pairs.length; i += 2) {
            action.accept(pairs[i], pairs[i + 1]);
        }
    }

    /** Returns the name of the header at an index, 0 to {@code size() - 1}. */
    public String name(int index) {
        return pairs[2 * index];
    }

    /** Returns the value of the header at an index. */
    public String value(int index) {
        return pairs[2 * index + 1];
    }

    /** Returns each header as {@code name: value CRLF}, as it is sent. */
    @Override
    public String toString() {
        var text = new StringBuilder(32 * pairs.length);
        forEach((name, value) -> text.append(name).append(": ").append(value).append("\r\n"));
        return text.toString();
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
        var list = new ArrayList<String>(pairs.length);
        forEach(
                (name, value) -> {
                    list.add(name.toLowerCase(Locale.ROOT));
                    list.add(value);
                });
        return list;
    }

    private int indexOf(String name, int from) {
        for (int i = from; i < pairs.length; i += 2) {
            if (pairs[i].equalsIgnoreCase(name)) {
                return i;
            }
        }
        return -1;
    }

    private void keepOthers(String name, int from, List<String> kept) {
        for (int i = from; i < pairs.length; i += 2) {
            if (!pairs[i].equalsIgnoreCase(name)) {
                kept.add(pairs[i]);
                kept.add(pairs[i + 1]);
            }
        }
    }

    private static void check(String name, String value) {
        if (!Grammar.isToken(name)) {
            throw new IllegalArgumentException(
                    "The header name "
                            + quoted(name)
                            + " is not a token; use letters, digits and '-'.");
        }
        // A character above U+00FF would lose its upper byte on the wire, and U+010A would be LF.
        if (!Grammar.isFieldText(value) || !isLatin1(value)) {
            throw new IllegalArgumentException(
                    "The value of header "
                            + name
                            + " is "
                            + quoted(value)
                            + ": control characters and characters above U+00FF cannot be sent;"
                            + " remove or encode them.");
        }
    }

    private static boolean isLatin1(String value) {
        for (int i = 0; i < value.length(); i++) {
            if (value.charAt(i) > 0xff) {
                return false;
            }
        }
        return true;
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
