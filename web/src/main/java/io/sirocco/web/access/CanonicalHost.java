// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import io.sirocco.http.Filter;
import io.sirocco.http.Handler;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import java.util.function.Predicate;

/**
 * Redirects (308) requests for any other host of a site to its canonical one, with the same scheme,
 * path and query, and the same port unless the canonical host has one. A request without a host
 * (HTTP/1.0) passes. Immutable.
 */
public final class CanonicalHost implements Filter {
    private final String name; // without a port
    private final String port; // with its colon, or empty
    private final Predicate<Request> secure;

    /**
     * Creates a redirect to a host.
     *
     * @param host such as {@code example.org} or {@code example.org:8443}
     * @param secure whether a request came by HTTPS
     * @throws IllegalArgumentException if it is not a host
     */
    public CanonicalHost(String host, Predicate<Request> secure) {
        if (!RequestUrl.isHost(host)) {
            throw new IllegalArgumentException(
                    "\""
                            + host
                            + "\" is no host; write a name such as \"example.org\", without"
                            + " \"https://\" and without a path.");
        }
        int colon = host.lastIndexOf(':');
        boolean hasPort = colon > host.lastIndexOf(']');
        this.name = hasPort ? host.substring(0, colon) : host;
        this.port = hasPort ? host.substring(colon) : "";
        this.secure = secure;
    }

    @Override
    public Response filter(Request request, Handler next) throws Exception {
        String asked = request.host();
        if (asked.isEmpty() || asked.equalsIgnoreCase(name)) {
            return next.handle(request);
        }
        String scheme = secure.test(request) ? "https://" : "http://";
        String at = port.isEmpty() ? RequestUrl.port(request) : port;
        return Response.redirect(scheme + name + at + RequestUrl.pathAndQuery(request)).status(308);
    }
}
