// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.route;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.sirocco.http.message.PercentDecoder;
import io.sirocco.http.route.PathPattern.Segment;
import io.sirocco.http.route.Router.Found;
import io.sirocco.http.route.Router.Route;
import java.util.Arrays;

/** A route with the positions of its parameters in the path. Immutable. */
final class CompiledRoute<T> {
    final Route<T> route;
    final PathPattern pattern;
    private final byte[] method;
    private final String[] names;
    private final Found<T> constant;

    CompiledRoute(Route<T> route) {
        this.route = route;
        this.method = route.method().getBytes(US_ASCII);
        this.pattern = PathPattern.parse(route.path());
        this.names = pattern.names();
        this.constant = new Found<>(route.target(), PathParams.NONE);
    }

    boolean hasMethod(byte[] name) {
        return Arrays.equals(method, name);
    }

    /** Returns the segment at a depth, or null after the end. */
    Segment segment(int depth) {
        return depth < pattern.segments().size() ? pattern.segments().get(depth) : null;
    }

    /** Extracts the parameters from a well-formed path that matches the pattern. */
    Found<T> found(byte[] bytes, int pathFrom, int pathTo) {
        if (names.length == 0) {
            return constant;
        }
        String[] values = new String[names.length];
        int count = 0;
        int from = pathFrom + 1;
        for (Segment segment : pattern.segments()) {
            int end = RouteNode.segmentEnd(bytes, from, pathTo);
            if (segment instanceof Segment.Param) {
                values[count++] = PercentDecoder.decode(bytes, from, end);
            } else if (segment instanceof Segment.Rest) {
                values[count++] = PercentDecoder.decode(bytes, from, pathTo);
            } else if (segment instanceof Segment.Suffix(var text)) {
                String rest = PercentDecoder.decode(bytes, from, pathTo);
                values[count++] = rest.substring(0, rest.length() - text.length());
            }
            from = end + 1;
        }
        return new Found<>(route.target(), new PathParams(names, values));
    }
}
