// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.route;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.http.message.Fields;
import io.sirocco.http.message.Grammar;
import io.sirocco.http.message.PercentDecoder;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The routes of one node whose patterns end with a suffix, such as {@code *.php}; the longest
 * suffix wins. Immutable.
 */
final class SuffixTable<T> {
    private record Entry<T>(byte[] suffix, MethodTable<T> routes) {}

    private final List<Entry<T>> entries;

    /** Takes the routes of each suffix. */
    SuffixTable(Map<String, List<CompiledRoute<T>>> bySuffix) {
        var tables = new LinkedHashMap<String, MethodTable<T>>();
        bySuffix.forEach((suffix, leaves) -> tables.put(suffix, new MethodTable<>(leaves)));
        entries =
                tables.entrySet().stream()
                        .map(entry -> new Entry<>(entry.getKey().getBytes(UTF_8), entry.getValue()))
                        .sorted(Comparator.comparing(entry -> -entry.suffix().length))
                        .toList();
    }

    /** Returns the route for the rest of a path, or null. */
    CompiledRoute<T> find(
            byte[] bytes, int methodFrom, int methodTo, int from, int to, Fields fields) {
        byte[] decoded = decoded(bytes, from, to);
        int start = decoded == bytes ? from : 0;
        int end = decoded == bytes ? to : decoded.length;
        for (Entry<T> entry : entries) {
            if (ends(decoded, start, end, entry.suffix)) {
                CompiledRoute<T> leaf = entry.routes.of(bytes, methodFrom, methodTo, fields);
                if (leaf != null) {
                    return leaf;
                }
            }
        }
        return null;
    }

    /** Adds the methods of all routes that match the rest of a path. */
    void addMethods(byte[] bytes, int from, int to, Fields fields, Collection<String> allow) {
        byte[] decoded = decoded(bytes, from, to);
        int start = decoded == bytes ? from : 0;
        int end = decoded == bytes ? to : decoded.length;
        for (Entry<T> entry : entries) {
            if (ends(decoded, start, end, entry.suffix)) {
                entry.routes.addMethods(fields, allow);
            }
        }
    }

    private static byte[] decoded(byte[] bytes, int from, int to) {
        return Grammar.indexOf(bytes, from, to, '%') < 0
                ? bytes
                : PercentDecoder.decoded(bytes, from, to, false);
    }

    private static boolean ends(byte[] bytes, int from, int to, byte[] suffix) {
        return to - from >= suffix.length
                && Arrays.equals(bytes, to - suffix.length, to, suffix, 0, suffix.length);
    }
}
