// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.route;

import io.sirocco.http.message.Fields;
import io.sirocco.http.route.PathPattern.Segment;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;

/** The routes of one host. Immutable. */
final class VirtualHost<T> {
    private final ByteMap<MethodTable<T>> literals;
    private final RouteNode<T> tree;

    VirtualHost(List<CompiledRoute<T>> leaves) {
        tree = new RouteNode<>(leaves, 0);
        var byPath = new LinkedHashMap<String, List<CompiledRoute<T>>>();
        for (CompiledRoute<T> leaf : leaves) {
            if (isPlain(leaf.pattern)) {
                byPath.computeIfAbsent(leaf.pattern.text(), path -> new ArrayList<>()).add(leaf);
            }
        }
        var endpoints = new LinkedHashMap<String, MethodTable<T>>();
        byPath.forEach((path, list) -> endpoints.put(path, new MethodTable<>(list)));
        literals = new ByteMap<>(endpoints);
    }

    /**
     * Returns whether only one sequence of bytes matches the pattern; a percent sign arrives as
     * {@code %25}.
     */
    private static boolean isPlain(PathPattern pattern) {
        return !pattern.text().contains("%")
                && pattern.segments().stream().allMatch(Segment.Literal.class::isInstance);
    }

    /**
     * Returns the route whose path has exactly these bytes, or null. No other route is more
     * specific.
     */
    CompiledRoute<T> literal(
            byte[] bytes, int methodFrom, int methodTo, int pathFrom, int pathTo, Fields fields) {
        MethodTable<T> endpoints = literals.get(bytes, pathFrom, pathTo);
        return endpoints == null ? null : endpoints.of(bytes, methodFrom, methodTo, fields);
    }

    /** Returns the most specific route that serves the request, or null. */
    CompiledRoute<T> find(
            byte[] bytes, int methodFrom, int methodTo, int pathFrom, int pathTo, Fields fields) {
        return tree.find(bytes, methodFrom, methodTo, pathFrom + 1, pathTo, fields);
    }

    void addMethods(
            byte[] bytes, int pathFrom, int pathTo, Fields fields, Collection<String> allow) {
        tree.addMethods(bytes, pathFrom + 1, pathTo, fields, allow);
    }
}
