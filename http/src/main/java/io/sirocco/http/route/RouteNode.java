// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.route;

import io.sirocco.http.message.Fields;
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
 * <p>A lookup tries the literal, then the parameter, then the suffixes, then the wildcard, and
 * comes back when a branch has no route for the method and the headers. It visits each node once at
 * most, so its cost is bounded by the number of routes, whatever the client sends. Immutable.
 */
final class RouteNode<T> {
    private final ByteMap<RouteNode<T>> literals;
    private final RouteNode<T> param;
    private final MethodTable<T> here;
    private final SuffixTable<T> suffixes;
    private final MethodTable<T> rest;

    /** Takes the routes that pass through this node at the given depth. */
    RouteNode(List<CompiledRoute<T>> leaves, int depth) {
        var below = new LinkedHashMap<String, List<CompiledRoute<T>>>();
        var params = new ArrayList<CompiledRoute<T>>();
        var ends = new ArrayList<CompiledRoute<T>>();
        var endings = new LinkedHashMap<String, List<CompiledRoute<T>>>();
        var rests = new ArrayList<CompiledRoute<T>>();
        for (CompiledRoute<T> leaf : leaves) {
            Segment segment = leaf.segment(depth);
            if (segment == null) {
                ends.add(leaf);
            } else if (segment instanceof Segment.Literal(var text)) {
                below.computeIfAbsent(text, t -> new ArrayList<>()).add(leaf);
            } else if (segment instanceof Segment.Suffix(var text)) {
                endings.computeIfAbsent(text, t -> new ArrayList<>()).add(leaf);
            } else {
                (segment instanceof Segment.Param ? params : rests).add(leaf);
            }
        }
        var nodes = new LinkedHashMap<String, RouteNode<T>>();
        below.forEach((text, list) -> nodes.put(text, new RouteNode<>(list, depth + 1)));
        literals = nodes.isEmpty() ? null : new ByteMap<>(nodes);
        param = params.isEmpty() ? null : new RouteNode<>(params, depth + 1);
        here = ends.isEmpty() ? null : new MethodTable<>(ends);
        suffixes = endings.isEmpty() ? null : new SuffixTable<>(endings);
        rest = rests.isEmpty() ? null : new MethodTable<>(rests);
    }

    /** Returns the route for the rest of a path, which begins after a slash, or null. */
    CompiledRoute<T> find(
            byte[] bytes, int methodFrom, int methodTo, int from, int to, Fields fields) {
        int end = segmentEnd(bytes, from, to);
        RouteNode<T> literal = literal(bytes, from, end);
        CompiledRoute<T> leaf = null;
        if (literal != null) {
            leaf = literal.below(bytes, methodFrom, methodTo, end, to, fields);
        }
        if (leaf == null && param != null && end > from) {
            leaf = param.below(bytes, methodFrom, methodTo, end, to, fields);
        }
        if (leaf == null && suffixes != null) {
            leaf = suffixes.find(bytes, methodFrom, methodTo, from, to, fields);
        }
        if (leaf == null && rest != null) {
            leaf = rest.of(bytes, methodFrom, methodTo, fields);
        }
        return leaf;
    }

    private CompiledRoute<T> below(
            byte[] bytes, int methodFrom, int methodTo, int end, int to, Fields fields) {
        if (end < to) {
            return find(bytes, methodFrom, methodTo, end + 1, to, fields);
        }
        return here == null ? null : here.of(bytes, methodFrom, methodTo, fields);
    }

    /** Adds the methods of all routes that match the path and the headers. */
    void addMethods(byte[] bytes, int from, int to, Fields fields, Collection<String> allow) {
        int end = segmentEnd(bytes, from, to);
        RouteNode<T> literal = literal(bytes, from, end);
        if (literal != null) {
            literal.addMethodsBelow(bytes, end, to, fields, allow);
        }
        if (param != null && end > from) {
            param.addMethodsBelow(bytes, end, to, fields, allow);
        }
        if (suffixes != null) {
            suffixes.addMethods(bytes, from, to, fields, allow);
        }
        if (rest != null) {
            rest.addMethods(fields, allow);
        }
    }

    private void addMethodsBelow(
            byte[] bytes, int end, int to, Fields fields, Collection<String> allow) {
        if (end < to) {
            addMethods(bytes, end + 1, to, fields, allow);
        } else if (here != null) {
            here.addMethods(fields, allow);
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
