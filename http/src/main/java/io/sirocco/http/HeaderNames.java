// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import java.util.ArrayList;
import java.util.List;

/**
 * A set of header names, in any case, to look for among {@link Headers} without creating strings.
 * Immutable.
 */
public final class HeaderNames {
    private final List<String> names;
    private final String[][] byLength;

    private HeaderNames(List<String> names) {
        this.names = names;
        int longest = names.stream().mapToInt(String::length).max().orElse(0);
        this.byLength = new String[longest + 1][];
        for (int length = 0; length <= longest; length++) {
            byLength[length] = ofLength(length);
        }
    }

    private String[] ofLength(int length) {
        var some = new ArrayList<String>(1);
        for (String name : names) {
            if (name.length() == length) {
                some.add(name);
            }
        }
        return some.toArray(String[]::new);
    }

    /** Returns a set of these names. */
    public static HeaderNames of(String... names) {
        return new HeaderNames(List.of(names));
    }

    /** Returns the set of the names of these headers. */
    public static HeaderNames of(Headers headers) {
        var names = new ArrayList<String>();
        headers.forEach((name, value) -> names.add(name));
        return new HeaderNames(List.copyOf(names));
    }

    /** Returns a set of these names and more. */
    public HeaderNames and(String... more) {
        var all = new ArrayList<>(names);
        all.addAll(List.of(more));
        return new HeaderNames(List.copyOf(all));
    }

    /** Returns whether the header at an index has one of these names. */
    public boolean contains(Headers headers, int index) {
        int length = headers.nameLength(index);
        if (length >= byLength.length) {
            return false;
        }
        for (String name : byLength[length]) {
            if (headers.isNamed(index, name)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether this is one of these names. */
    public boolean contains(String name) {
        if (name.length() < byLength.length) {
            for (String each : byLength[name.length()]) {
                if (each.equalsIgnoreCase(name)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns the index of the first header that has one of these names; -1 if there is none. */
    public int first(Headers headers) {
        for (int i = 0, n = headers.size(); i < n; i++) {
            if (contains(headers, i)) {
                return i;
            }
        }
        return -1;
    }

    /** Returns the names, in the order and spelling in which they were given. */
    public List<String> names() {
        return names;
    }

    @Override
    public String toString() {
        return names.toString();
    }
}
