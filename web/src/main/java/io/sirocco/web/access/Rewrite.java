// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import io.sirocco.http.Request;
import java.util.function.Function;

/**
 * Rewrites the path of a request, for the file that is served instead, or for the server that it is
 * forwarded to: {@code /blog/{year}/{title}} from {@code /articles/{title}.html}. What it returns
 * is percent-encoded, as from a client: decode it once, and validate it, before you open a file.
 * Immutable.
 */
public final class Rewrite implements Function<Request, String> {
    private final Template to;

    /**
     * Creates a rewrite for a route.
     *
     * @param path the pattern of the route
     * @param to the path of a file, in which {@code {name}} and {@code {*}} stand for parts of the
     *     path
     * @throws IllegalArgumentException if an argument is invalid
     */
    public Rewrite(String path, String to) {
        this(Template.parse(path, to));
        if (!to.startsWith("/") || to.indexOf('?') >= 0 || to.indexOf('#') >= 0) {
            throw new IllegalArgumentException(
                    "\""
                            + to
                            + "\" is no path of a file; begin it with '/', without query and fragment.");
        }
    }

    private Rewrite(Template to) {
        this.to = to;
    }

    /**
     * Creates a rewrite for a route that forwards its requests: {@code to} may have a query, such
     * as {@code /item?id={id}}.
     *
     * @throws IllegalArgumentException if an argument is invalid
     */
    public static Rewrite ofTarget(String path, String to) {
        if (!to.startsWith("/") || !to.chars().allMatch(c -> c > ' ' && c < 0x7f && c != '#')) {
            throw new IllegalArgumentException(
                    "\""
                            + to
                            + "\" is no path with a query; begin it with '/', percent-encode it, and"
                            + " leave a fragment out.");
        }
        return new Rewrite(Template.parse(path, to));
    }

    @Override
    public String apply(Request request) {
        return to.fill(request);
    }
}
