// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.route;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sirocco.http.Headers;
import io.sirocco.http.message.Fields;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The headers that a request must have for a route. A header without values must be present; else
 * one of its lines must have one of the values, byte by byte. Immutable.
 */
public final class RequiredHeaders {
    public static final RequiredHeaders NONE = new RequiredHeaders(Map.of());

    /**
     * Orders by precedence: more headers first, then more headers with values. What is equal here
     * keeps the order in which it was added.
     */
    static final Comparator<RequiredHeaders> MOST_SPECIFIC =
            (a, b) ->
                    a.names.length != b.names.length
                            ? Integer.compare(b.names.length, a.names.length)
                            : Integer.compare(b.exact(), a.exact());

    private final Map<String, Set<String>> byName;
    private final byte[][] names; // in lower case
    private final byte[][][] values;

    private RequiredHeaders(Map<String, Set<String>> byName) {
        this.byName = byName;
        this.names = bytes(byName.keySet());
        this.values = byName.values().stream().map(RequiredHeaders::bytes).toArray(byte[][][]::new);
    }

    private static byte[][] bytes(Set<String> texts) {
        return texts.stream().map(text -> text.getBytes(ISO_8859_1)).toArray(byte[][]::new);
    }

    /**
     * Returns these headers and another one.
     *
     * @param values any of them; none if the header must only be present
     * @throws IllegalArgumentException if the name is invalid or already required, or a value is
     *     invalid
     */
    public RequiredHeaders and(String name, String... values) {
        var allowed = new ArrayList<String>();
        for (String value : values) {
            allowed.add(Headers.of(name, value).value(0));
        }
        String key = Headers.of(name, "").name(0).toLowerCase(Locale.ROOT);
        var more = new LinkedHashMap<>(byName);
        if (more.putIfAbsent(key, Set.copyOf(allowed)) != null) {
            throw new IllegalArgumentException(
                    "The route requires the header \"" + name + "\" twice; list its values once.");
        }
        return new RequiredHeaders(more);
    }

    boolean none() {
        return names.length == 0;
    }

    private int exact() {
        return (int) Arrays.stream(values).filter(allowed -> allowed.length > 0).count();
    }

    /** Returns whether a request with these headers is for the route. */
    boolean match(Fields fields) {
        for (int i = 0; i < names.length; i++) {
            if (!matches(names[i], values[i], fields)) {
                return false;
            }
        }
        return true;
    }

    private static boolean matches(byte[] name, byte[][] allowed, Fields fields) {
        int line = fields.find(name);
        if (line < 0 || allowed.length == 0) {
            return line >= 0;
        }
        String text = fields.name(line);
        for (; line >= 0; line = fields.find(text, line + 1)) {
            int from = fields.valueFrom(line);
            int to = fields.valueTo(line);
            for (byte[] value : allowed) {
                if (Arrays.equals(value, 0, value.length, fields.bytes(), from, to)) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * Returns whether every request that has {@code others} has these headers, too. Two routes of
     * which none is more specific are then one too many.
     */
    boolean include(RequiredHeaders others) {
        return byName.entrySet().stream()
                .allMatch(
                        header -> {
                            Set<String> theirs = others.byName.get(header.getKey());
                            Set<String> ours = header.getValue();
                            return theirs != null
                                    && (ours.isEmpty()
                                            || !theirs.isEmpty() && ours.containsAll(theirs));
                        });
    }

    /** Returns the conditions as they stand in a message, such as {@code X-Canary: 1}. */
    @Override
    public String toString() {
        var text = new ArrayList<String>();
        new TreeMap<>(byName)
                .forEach(
                        (name, allowed) ->
                                text.add(
                                        name
                                                + ": "
                                                + (allowed.isEmpty()
                                                        ? "*"
                                                        : String.join(
                                                                " or ",
                                                                allowed.stream()
                                                                        .sorted()
                                                                        .toList()))));
        return String.join(", ", text);
    }
}
