// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import io.sirocco.http.BadRequest;
import io.sirocco.http.Handler;
import io.sirocco.http.Request;
import io.sirocco.http.Response;

/**
 * Redirects (308) all requests to the same host, path and query by HTTPS. A request without a host
 * (HTTP/1.0) gets 400. Immutable.
 */
public final class HttpsRedirect implements Handler {
    private final String port;

    /**
     * A redirect to HTTPS at a port; 443 is left out of addresses.
     *
     * @throws IllegalArgumentException when it is no port
     */
    public HttpsRedirect(int port) {
        if (port < 1 || port > 65535) {
            throw new IllegalArgumentException("A port is 1 to 65535, not " + port + ".");
        }
        this.port = port == 443 ? "" : ":" + port;
    }

    @Override
    public Response handle(Request request) {
        if (request.host().isEmpty()) {
            throw new BadRequest("This is served by HTTPS only, and the request names no host.");
        }
        return Response.redirect(
                        "https://" + request.host() + port + RequestUrl.pathAndQuery(request))
                .status(308);
    }
}
