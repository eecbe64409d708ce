// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.route;

import java.util.List;
import java.util.stream.IntStream;

/** What a path holds in the places of {@code {name}} and {@code *}, decoded. Immutable. */
public final class PathParams {
    public static final PathParams NONE = new PathParams(new String[0], new String[0]);

    private final String[] names;
    private final String[] values;

    /** Keeps both arrays, which nobody may change afterwards. */
    PathParams(String[] names, String[] values) {
        this.names = names;
        this.values = values;
    }

    /**
     * The value of a parameter of the route; {@code *} names what the wildcard took.
     *
     * @throws IllegalArgumentException when the route has no such parameter: a slip in the code,
     *     not in the request
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
