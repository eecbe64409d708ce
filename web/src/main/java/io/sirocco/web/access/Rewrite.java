// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import io.sirocco.http.Request;
import java.util.function.Function;

/**
 * Another path for a request, whose file is served at the address that was asked for: {@code
 * /blog/{year}/{title}} from {@code /articles/{title}.html}. The path that it answers is
 * percent-encoded, as a client would have sent it: whoever serves files decodes it once, and keeps
 * its own watch over {@code ..}. Immutable.
 */
public final class Rewrite implements Function<Request, String> {
    private final Template to;

    /**
     * A rewriting of a route.
     *
     * @param path the pattern of the route
     * @param to the path of a file, with {@code {name}} and {@code {*}} for what the path has there
     * @throws IllegalArgumentException which says what cannot be
     */
    public Rewrite(String path, String to) {
        this.to = Template.parse(path, to);
        if (!to.startsWith("/") || to.indexOf('?') >= 0 || to.indexOf('#') >= 0) {
            throw new IllegalArgumentException(
                    "\""
                            + to
                            + "\" is no path of a file; begin it with '/', without query and fragment.");
        }
    }

    @Override
    public String apply(Request request) {
        return to.fill(request);
    }
}
