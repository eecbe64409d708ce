// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.route;

import io.sirocco.http.message.Grammar;
import io.sirocco.http.message.PercentDecoder;
import io.sirocco.http.route.PathPattern.Segment;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;

/**
 * A node of the tree of routes: what may follow after the segments above it.
 *
 * <pre>
 *   GET /a/b   GET /a/{x}   GET /a/*        (root) ── a ──┬── b      (here: GET /a/b)
 *                                                         ├── {}     (here: GET /a/{x})
 *                                                         └ rest: GET /a/*
 * </pre>
 *
 * <p>A lookup tries the literal, then the parameter, then the wildcard, and comes back when a
 * branch has no route for the method. It visits each node once at most, so its cost is bounded by
 * the number of routes, whatever the client sends. Immutable.
 */
final class RouteNode<T> {
    private final ByteMap<RouteNode<T>> literals;
    private final RouteNode<T> param;
    private final MethodTable<T> here;
    private final MethodTable<T> rest;

    /** Takes the routes that pass through this node at the given depth. */
    RouteNode(List<CompiledRoute<T>> leaves, int depth) {
        var below = new LinkedHashMap<String, List<CompiledRoute<T>>>();
        var params = new ArrayList<CompiledRoute<T>>();
        var ends = new ArrayList<CompiledRoute<T>>();
        var rests = new ArrayList<CompiledRoute<T>>();
        for (CompiledRoute<T> leaf : leaves) {
            switch (leaf.segment(depth)) {
                case null -> ends.add(leaf);
                case Segment.Literal(var text) ->
                        below.computeIfAbsent(text, t -> new ArrayList<>()).add(leaf);
                case Segment.Param _ -> params.add(leaf);
                case Segment.Rest _ -> rests.add(leaf);
            }
        }
        var nodes = new LinkedHashMap<String, RouteNode<T>>();
        below.forEach((text, list) -> nodes.put(text, new RouteNode<>(list, depth + 1)));
        literals = nodes.isEmpty() ? null : new ByteMap<>(nodes);
        param = params.isEmpty() ? null : new RouteNode<>(params, depth + 1);
        here = ends.isEmpty() ? null : new MethodTable<>(ends);
        rest = rests.isEmpty() ? null : new MethodTable<>(rests);
    }

    /** Returns the route for the rest of a path, which begins after a slash, or null. */
    CompiledRoute<T> find(byte[] bytes, int methodFrom, int methodTo, int from, int to) {
        int end = segmentEnd(bytes, from, to);
        RouteNode<T> literal = literal(bytes, from, end);
        CompiledRoute<T> leaf = null;
        if (literal != null) {
            leaf = literal.below(bytes, methodFrom, methodTo, end, to);
        }
        if (leaf == null && param != null && end > from) {
            leaf = param.below(bytes, methodFrom, methodTo, end, to);
        }
        if (leaf == null && rest != null) {
            leaf = rest.of(bytes, methodFrom, methodTo);
        }
        return leaf;
    }

    private CompiledRoute<T> below(byte[] bytes, int methodFrom, int methodTo, int end, int to) {
        if (end < to) {
            return find(bytes, methodFrom, methodTo, end + 1, to);
        }
        return here == null ? null : here.of(bytes, methodFrom, methodTo);
    }

    /** Adds the methods of all routes that match the path. */
    void addMethods(byte[] bytes, int from, int to, Collection<String> allow) {
        int end = segmentEnd(bytes, from, to);
        RouteNode<T> literal = literal(bytes, from, end);
        if (literal != null) {
            literal.addMethodsBelow(bytes, end, to, allow);
        }
        if (param != null && end > from) {
            param.addMethodsBelow(bytes, end, to, allow);
        }
        if (rest != null) {
            rest.addMethods(allow);
        }
    }

    private void addMethodsBelow(byte[] bytes, int end, int to, Collection<String> allow) {
        if (end < to) {
            addMethods(bytes, end + 1, to, allow);
        } else if (here != null) {
            here.addMethods(allow);
        }
    }

    private RouteNode<T> literal(byte[] bytes, int from, int end) {
        if (literals == null) {
            return null;
        }
        if (Grammar.indexOf(bytes, from, end, '%') < 0) {
            return literals.get(bytes, from, end);
        }
        byte[] decoded = PercentDecoder.decoded(bytes, from, end, false);
        return literals.get(decoded, 0, decoded.length);
    }

    static int segmentEnd(byte[] bytes, int from, int to) {
        int slash = Grammar.indexOf(bytes, from, to, '/');
        return slash < 0 ? to : slash;
    }
}
