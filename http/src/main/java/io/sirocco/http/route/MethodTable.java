// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.route;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/** The routes of one path by method. {@code HEAD} is served by {@code GET}. Immutable. */
final class MethodTable<T> {
    private static final byte[] HEAD = {'H', 'E', 'A', 'D'};

    private final byte[][] methods;
    private final List<CompiledRoute<T>> leaves;
    private final CompiledRoute<T> any;

    /** The route of {@code GET}, or null. Found without a lookup, since most requests are GET. */
    private final CompiledRoute<T> get;

    /**
     * Creates a table of routes whose patterns match the same paths.
     *
     * @throws IllegalArgumentException if two routes have the same method
     */
    MethodTable(List<CompiledRoute<T>> leaves) {
        for (int i = 0; i < leaves.size(); i++) {
            for (CompiledRoute<T> other : leaves.subList(0, i)) {
                if (other.route.method().equals(leaves.get(i).route.method())) {
                    throw duplicate(other, leaves.get(i));
                }
            }
        }
        this.any = named(leaves, Router.ANY);
        this.get = named(leaves, "GET");
        this.leaves = leaves.stream().filter(leaf -> leaf != any).toList();
        this.methods =
                this.leaves.stream()
                        .map(leaf -> leaf.route.method().getBytes(US_ASCII))
                        .toArray(byte[][]::new);
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

    /** Returns the route of a method, or null. */
    CompiledRoute<T> of(byte[] bytes, int from, int to) {
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

    /** Adds the methods that have a route of their own, and {@code HEAD} beside {@code GET}. */
    void addMethods(Collection<String> allow) {
        for (CompiledRoute<T> leaf : leaves) {
            allow.add(leaf.route.method());
        }
        if (allow.contains("GET")) {
            allow.add("HEAD");
        }
    }
}
