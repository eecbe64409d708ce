// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.route;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.sirocco.http.message.Fields;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/**
 * The routes of one path by method, then by the headers that they require. {@code HEAD} is served
 * by {@code GET}. Immutable.
 */
final class MethodTable<T> {
    private static final byte[] HEAD = {'H', 'E', 'A', 'D'};
    private static final byte[] GET = {'G', 'E', 'T'};
    private static final byte[] ANY = Router.ANY.getBytes(US_ASCII);

    /** The routes that require no header, without {@link #any}. */
    private final List<CompiledRoute<T>> leaves;

    private final byte[][] methods;
    private final CompiledRoute<T> any;

    /** The route of {@code GET}, or null. Found without a lookup, since most requests are GET. */
    private final CompiledRoute<T> get;

    /** The routes that require headers, the most specific first; null if there are none. */
    private final List<CompiledRoute<T>> byHeaders;

    /**
     * Creates a table of routes whose patterns match the same paths.
     *
     * @throws IllegalArgumentException if two routes have the same method and match the same
     *     requests
     */
    MethodTable(List<CompiledRoute<T>> all) {
        for (int i = 0; i < all.size(); i++) {
            for (CompiledRoute<T> other : all.subList(0, i)) {
                if (hides(other.route, all.get(i).route)) {
                    throw duplicate(other, all.get(i));
                }
            }
        }
        var plain = all.stream().filter(leaf -> leaf.route.headers().none()).toList();
        this.any = named(plain, Router.ANY);
        this.get = named(plain, "GET");
        this.leaves = plain.stream().filter(leaf -> leaf != any).toList();
        this.methods =
                this.leaves.stream()
                        .map(leaf -> leaf.route.method().getBytes(US_ASCII))
                        .toArray(byte[][]::new);
        this.byHeaders =
                plain.size() == all.size()
                        ? null
                        : all.stream()
                                .filter(leaf -> !leaf.route.headers().none())
                                .sorted(
                                        Comparator.comparing(
                                                leaf -> leaf.route.headers(),
                                                RequiredHeaders.MOST_SPECIFIC))
                                .toList();
    }

    /** Returns whether a route added later never gets a request, of two of the same path. */
    private static boolean hides(Router.Route<?> first, Router.Route<?> later) {
        return first.method().equals(later.method())
                && RequiredHeaders.MOST_SPECIFIC.compare(first.headers(), later.headers()) == 0
                && first.headers().include(later.headers());
    }

    private static boolean isGet(byte[] bytes, int from, int to) {
        return to - from == 3
                && bytes[from] == 'G'
                && bytes[from + 1] == 'E'
                && bytes[from + 2] == 'T';
    }

    private static <T> CompiledRoute<T> named(List<CompiledRoute<T>> leaves, String method) {
        return leaves.stream()
                .filter(leaf -> leaf.route.method().equals(method))
                .findFirst()
                .orElse(null);
    }

    private static IllegalArgumentException duplicate(
            CompiledRoute<?> first, CompiledRoute<?> second) {
        return new IllegalArgumentException(
                "The routes \""
                        + first.route
                        + "\" and \""
                        + second.route
                        + "\" match the same requests; remove one of them.");
    }

    /** Returns the route of a request with this method and these headers, or null. */
    CompiledRoute<T> of(byte[] bytes, int from, int to, Fields fields) {
        if (byHeaders != null) {
            return of(Arrays.copyOfRange(bytes, from, to), fields);
        }
        if (get != null && isGet(bytes, from, to)) {
            return get;
        }
        CompiledRoute<T> named = find(bytes, from, to);
        if (named == null && Arrays.equals(HEAD, 0, HEAD.length, bytes, from, to)) {
            named = get;
        }
        return named == null ? any : named;
    }

    private CompiledRoute<T> find(byte[] bytes, int from, int to) {
        for (int i = 0; i < methods.length; i++) {
            if (Arrays.equals(methods[i], 0, methods[i].length, bytes, from, to)) {
                return leaves.get(i);
            }
        }
        return null;
    }

    private CompiledRoute<T> of(byte[] method, Fields fields) {
        CompiledRoute<T> leaf = named(method, fields);
        if (leaf == null && Arrays.equals(method, HEAD)) {
            leaf = named(GET, fields);
        }
        return leaf == null ? named(ANY, fields) : leaf;
    }

    private CompiledRoute<T> named(byte[] method, Fields fields) {
        for (CompiledRoute<T> leaf : byHeaders) {
            if (leaf.hasMethod(method) && leaf.route.headers().match(fields)) {
                return leaf;
            }
        }
        return Arrays.equals(method, ANY) ? any : find(method, 0, method.length);
    }

    /**
     * Adds the methods that have a route of their own for a request with these headers, and {@code
     * HEAD} beside {@code GET}.
     */
    void addMethods(Fields fields, Collection<String> allow) {
        for (CompiledRoute<T> leaf : leaves) {
            allow.add(leaf.route.method());
        }
        if (byHeaders != null) {
            byHeaders.stream()
                    .filter(leaf -> !leaf.hasMethod(ANY) && leaf.route.headers().match(fields))
                    .forEach(leaf -> allow.add(leaf.route.method()));
        }
        if (allow.contains("GET")) {
            allow.add("HEAD");
        }
    }
}
