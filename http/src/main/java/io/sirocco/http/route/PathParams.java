// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.route;

import java.util.List;
import java.util.stream.IntStream;

/** The decoded values of {@code {name}} and {@code *} in a path. Immutable. */
public final class PathParams {
    public static final PathParams NONE = new PathParams(new String[0], new String[0]);

    private final String[] names;
    private final String[] values;

    /** Keeps both arrays, which must not be changed afterwards. */
    PathParams(String[] names, String[] values) {
        this.names = names;
        this.values = values;
    }

    /**
     * Returns a path parameter; {@code *} is the name of the wildcard.
     *
     * @throws IllegalArgumentException if the route has no such parameter, which is a bug in the
     *     program and not in the request
     */
    public String get(String name) {
        for (int i = 0; i < names.length; i++) {
            if (names[i].equals(name)) {
                return values[i];
            }
        }
        throw new IllegalArgumentException(
                "The route has no parameter \"" + name + "\"; it has " + List.of(names) + ".");
    }

    int size() {
        return names.length;
    }

    @Override
    public String toString() {
        return IntStream.range(0, names.length)
                .mapToObj(i -> names[i] + "=" + values[i])
                .toList()
                .toString();
    }
}
