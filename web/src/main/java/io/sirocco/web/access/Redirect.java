// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import io.sirocco.http.Handler;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Redirects clients to another URL, such as {@code /new/{*}} or {@code https://example.org/{name}},
 * and keeps the query. The client never chooses the host: placeholders are allowed only after the
 * slash that ends the host, and a path that would begin with two slashes, which browsers take for a
 * host, gets one. Immutable.
 */
public final class Redirect implements Handler {
    private static final Set<Integer> STATUSES = Set.of(301, 302, 303, 307, 308);
    private static final Pattern WHOLE = Pattern.compile("(https?://[^/?#\\s]+)?(/.*)?");
    private static final Pattern BEGINNING = Pattern.compile("(https?://[^/?#\\s]+)?/.*");
    private static final Pattern SLASHES = Pattern.compile("^/{2,}");

    private final Template to;
    private final int status;
    private final Response constant; // null when something is to be put in

    /**
     * Creates a redirect for a route.
     *
     * @param path the pattern of the route, such as {@code /old/*}
     * @param to the URL, in which {@code {name}} and {@code {*}} stand for parts of the path
     * @param status 301, 302, 303, 307 or 308 (RFC 9110 15.4)
     * @throws IllegalArgumentException if an argument is invalid
     */
    public Redirect(String path, String to, int status) {
        if (!STATUSES.contains(status)) {
            throw new IllegalArgumentException(
                    "The status of a redirect is 301, 302, 303, 307 or 308, not " + status + ".");
        }
        this.to = Template.parse(path, to);
        this.status = status;
        boolean decided = // on the host, before anything is put in
                this.to.constant()
                        ? !to.isEmpty() && WHOLE.matcher(to).matches()
                        : BEGINNING.matcher(this.to.beginning()).matches();
        if (!decided || to.startsWith("//")) {
            throw new IllegalArgumentException(
                    "\""
                            + to
                            + "\" is no address to send clients to; begin it with '/' or with"
                            + " \"https://host/\", and put what the path has behind that.");
        }
        if (to.indexOf('#') >= 0) {
            throw new IllegalArgumentException(
                    "\""
                            + to
                            + "\" has a fragment, which the query would stand behind; leave it out.");
        }
        Response response = to(to); // throws for what cannot be in a field
        this.constant = this.to.constant() ? response : null;
    }

    @Override
    public Response handle(Request request) {
        String query = RequestUrl.query(request);
        if (constant != null && query.isEmpty()) {
            return constant;
        }
        String location = SLASHES.matcher(to.fill(request)).replaceFirst("/");
        boolean more = location.indexOf('?') >= 0;
        return to(query.isEmpty() ? location : location + (more ? '&' : '?') + query);
    }

    private Response to(String location) {
        return Response.redirect(location).status(status);
    }
}
