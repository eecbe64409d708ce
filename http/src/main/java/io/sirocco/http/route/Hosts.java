// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.route;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Virtual hosts: {@code example.com} beats {@code *.example.com}, the longer wildcard beats the
 * shorter, and the empty pattern is any host. A wildcard stands for one label or more. Case, a port
 * and a final dot make no difference. Immutable.
 */
public final class Hosts<V> {
    /**
     * RFC 1035 2.3.4 allows 255 bytes for a name; a port adds six. Longer hosts match no pattern.
     */
    private static final int LONGEST = 255 + ":65535".length();

    private final ByteMap<List<V>> exact;
    private final ByteMap<List<V>> below;
    private final List<V> any;
    private final boolean onlyAny;

    /**
     * Creates a table from checked patterns.
     *
     * @see #check
     */
    Hosts(Map<String, V> byPattern) {
        var exact = new HashMap<String, List<V>>();
        var below = new HashMap<String, List<V>>();
        for (String pattern : byPattern.keySet()) {
            if (pattern.startsWith("*.")) {
                below.put(pattern.substring(2), chain(pattern, byPattern));
            } else {
                exact.put(pattern, chain(pattern, byPattern));
            }
        }
        this.exact = new ByteMap<>(exact);
        this.below = new ByteMap<>(below);
        this.any = exact.getOrDefault("", List.of());
        this.onlyAny = below.isEmpty() && exact.size() == (any.isEmpty() ? 0 : 1);
    }

    /** Returns the value of the pattern, then those of its wildcards, then that of any host. */
    private static <V> List<V> chain(String pattern, Map<String, V> byPattern) {
        var keys = new LinkedHashMap<String, V>();
        keys.put(pattern, byPattern.get(pattern));
        for (int dot = pattern.indexOf('.'); dot >= 0; dot = pattern.indexOf('.', dot + 1)) {
            String wildcard = "*" + pattern.substring(dot);
            if (byPattern.containsKey(wildcard)) {
                keys.put(wildcard, byPattern.get(wildcard));
            }
        }
        if (byPattern.containsKey("")) {
            keys.put("", byPattern.get(""));
        }
        return List.copyOf(new ArrayList<>(keys.values()));
    }

    /**
     * Returns the values for a {@code Host}, the most specific first. An empty slice has no host.
     */
    List<V> of(byte[] bytes, int from, int to) {
        if (onlyAny || to - from > LONGEST) {
            return any;
        }
        for (int i = from; i < to; i++) {
            if (bytes[i] >= 'A' && bytes[i] <= 'Z') {
                byte[] lower =
                        new String(bytes, from, to - from, ISO_8859_1)
                                .toLowerCase(Locale.ROOT)
                                .getBytes(ISO_8859_1);
                return ofLower(lower, 0, lower.length);
            }
        }
        return ofLower(bytes, from, to);
    }

    private List<V> ofLower(byte[] bytes, int from, int hostTo) {
        int to = nameEnd(bytes, from, hostTo);
        List<V> found = exact.get(bytes, from, to);
        for (int i = from; found == null && i < to; i++) {
            if (bytes[i] == '.' && i > from) {
                found = below.get(bytes, i + 1, to);
            }
        }
        return found == null ? any : found;
    }

    /**
     * Returns the end of the name: before {@code :port}, which is outside of {@code [::1]}, and
     * before a final dot.
     */
    private static int nameEnd(byte[] bytes, int from, int to) {
        int end = to;
        while (end > from && bytes[end - 1] >= '0' && bytes[end - 1] <= '9') {
            end--;
        }
        end = end > from && bytes[end - 1] == ':' ? end - 1 : to;
        return end > from && bytes[end - 1] == '.' ? end - 1 : end;
    }

    /**
     * Returns the pattern in lower case.
     *
     * @throws IllegalArgumentException if it is invalid; the message says what to write instead
     */
    public static String check(String pattern) {
        String lower = pattern.toLowerCase(Locale.ROOT);
        if (!lower.isEmpty()
                && !lower.matches("(\\*\\.)?[a-z0-9_-]+(\\.[a-z0-9_-]+)*|\\[[0-9a-f:.]+]")) {
            throw new IllegalArgumentException(
                    "The host pattern \""
                            + pattern
                            + "\" is neither example.com nor *.example.com nor empty for any host;"
                            + " leave out scheme and port, and write other scripts in punycode.");
        }
        return lower;
    }
}
