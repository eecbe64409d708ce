// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * The parameters of a query or a form ({@code application/x-www-form-urlencoded}), in the order of
 * the request. A name may have several values.
 *
 * <p>Pairs are separated by {@code &}, and empty ones are skipped. The first {@code =} ends the
 * name; a missing value is empty. {@code +} is a space, and percent-encoded UTF-8 is decoded once
 * (WHATWG URL 5.1, but strict about {@code %}).
 *
 * <p>Parameters are parsed at the first use, which throws {@link BadRequest} if a {@code %} is not
 * followed by two hexadecimal digits, or if there are more pairs than the limit, by default {@value
 * #LIMIT}.
 *
 * <p>Immutable.
 */
public final class Params {
    /** The default maximum number of pairs. */
    public static final int LIMIT = 1_000;

    private static final Params EMPTY = new Params("", LIMIT);

    private final String raw;
    private final int limit;
    // Written without a lock: threads that race parse the same text to equal pairs, and a record's
    // final field is seen whole.
    private Pairs pairs;

    private record Pairs(List<String> namesAndValues) {}

    private Params(String raw, int limit) {
        this.raw = raw;
        this.limit = limit;
    }

    /** Returns empty parameters. */
    public static Params empty() {
        return EMPTY;
    }

    /** Creates the parameters of a query without its {@code ?}, or of a form. */
    public static Params of(String raw) {
        return of(raw, LIMIT);
    }

    /** Creates the parameters of a query or form with another maximum number of pairs. */
    public static Params of(String raw, int limit) {
        return raw.isEmpty() ? EMPTY : new Params(raw, limit);
    }

    /** Returns the first value of a name. */
    public Optional<String> first(String name) {
        var list = pairs();
        for (int i = 0; i < list.size(); i += 2) {
            if (list.get(i).equals(name)) {
                return Optional.of(list.get(i + 1));
            }
        }
        return Optional.empty();
    }

    /** Returns the first value of a name, or {@code otherwise} if the name is absent. */
    public String first(String name, String otherwise) {
        return first(name).orElse(otherwise);
    }

    /** Returns all values of a name in order; empty if the name is absent. */
    public List<String> all(String name) {
        var values = new ArrayList<String>();
        forEach(
                (n, value) -> {
                    if (n.equals(name)) {
                        values.add(value);
                    }
                });
        return List.copyOf(values);
    }

    /** Returns an unmodifiable map of names to values, in the order in which names first occur. */
    public Map<String, List<String>> asMap() {
        var map = new LinkedHashMap<String, List<String>>();
        forEach((name, value) -> map.computeIfAbsent(name, n -> new ArrayList<>()).add(value));
        map.replaceAll((name, values) -> List.copyOf(values));
        return Collections.unmodifiableMap(map);
    }

    /** Calls {@code action} for the name and value of each pair, in order. */
    public void forEach(BiConsumer<String, String> action) {
        var list = pairs();
        for (int i = 0; i < list.size(); i += 2) {
            action.accept(list.get(i), list.get(i + 1));
        }
    }

    /** Returns the number of pairs. */
    public int size() {
        return pairs().size() / 2;
    }

    /** Returns the names and values in order, for debugging. */
    @Override
    public String toString() {
        return asMap().toString();
    }

    private List<String> pairs() {
        Pairs parsed = pairs;
        if (parsed == null) {
            parsed = new Pairs(parse());
            pairs = parsed;
        }
        return parsed.namesAndValues;
    }

    private List<String> parse() {
        var out = new ArrayList<String>();
        for (int from = 0; from <= raw.length(); ) {
            int amp = raw.indexOf('&', from);
            int end = amp < 0 ? raw.length() : amp;
            if (end > from) {
                if (out.size() == 2 * limit) {
                    throw new BadRequest("There are more than " + limit + " parameters.");
                }
                int equals = raw.indexOf('=', from, end);
                int nameEnd = equals < 0 ? end : equals;
                out.add(Percent.decode(raw.substring(from, nameEnd), true));
                out.add(Percent.decode(raw.substring(Math.min(nameEnd + 1, end), end), true));
            }
            from = end + 1;
        }
        return List.copyOf(out);
    }
}
