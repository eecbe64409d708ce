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
 * The names and values of a query or of a form ({@code application/x-www-form-urlencoded}), in the
 * order of the request; a name may have several values.
 *
 * <p>{@code &} separates pairs and empty ones are skipped; the first {@code =} ends the name; a
 * missing value is empty; {@code +} is a space; percent-encoded UTF-8 is decoded once (WHATWG URL
 * 5.1, but strict about {@code %}). Parsed at the first use, which throws {@link BadRequest} for a
 * {@code %} without two hexadecimal digits or for more pairs than the limit, {@value #LIMIT} unless
 * said otherwise. Immutable.
 */
public final class Params {
    /** How many pairs are accepted unless another limit is given. */
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

    /** No parameters. */
    public static Params empty() {
        return EMPTY;
    }

    /** Parameters of a raw query, without its {@code ?}, or of a form's body. */
    public static Params of(String raw) {
        return of(raw, LIMIT);
    }

    /** The same with another limit of pairs. */
    public static Params of(String raw, int limit) {
        return raw.isEmpty() ? EMPTY : new Params(raw, limit);
    }

    /** The first value of a name. */
    public Optional<String> first(String name) {
        var list = pairs();
        for (int i = 0; i < list.size(); i += 2) {
            if (list.get(i).equals(name)) {
                return Optional.of(list.get(i + 1));
            }
        }
        return Optional.empty();
    }

    /** The first value of a name, or the other text when the name is absent. */
    public String first(String name, String otherwise) {
        return first(name).orElse(otherwise);
    }

    /** All values of a name in order; empty when the name is absent. */
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

    /** Every name with its values, in the order of the names' first appearance; unmodifiable. */
    public Map<String, List<String>> asMap() {
        var map = new LinkedHashMap<String, List<String>>();
        forEach((name, value) -> map.computeIfAbsent(name, n -> new ArrayList<>()).add(value));
        map.replaceAll((name, values) -> List.copyOf(values));
        return Collections.unmodifiableMap(map);
    }

    /** Calls the action for every pair in order. */
    public void forEach(BiConsumer<String, String> action) {
        var list = pairs();
        for (int i = 0; i < list.size(); i += 2) {
            action.accept(list.get(i), list.get(i + 1));
        }
    }

    /** How many pairs there are. */
    public int size() {
        return pairs().size() / 2;
    }

    /** Names and values in order, for a debugger or a log; {@code {}} when there are none. */
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
