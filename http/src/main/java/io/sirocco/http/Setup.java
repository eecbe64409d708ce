// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import java.util.List;
import java.util.concurrent.ExecutorService;

/** What a server was configured to be, for all of its workers. Immutable. */
record Setup(
        String id,
        Router<Endpoint> router,
        Limits limits,
        DateAndServer dateAndServer,
        Monitor monitor,
        ErrorPages errorPages,
        ExecutorService pool) {

    private static final Response OPTIONS_OF_SERVER =
            Response.empty(204).header("Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");

    /** Answers what no route matches. */
    Endpoint notFound() {
        return Endpoint.of(request -> errorPages.page(404, Status.reason(404)).status(404), limits);
    }

    /** Answers a method that the path does not have; for {@code OPTIONS} that is what was asked. */
    Endpoint notAllowed(String method, List<String> allow) {
        String methods = String.join(", ", allow);
        return method.equals("OPTIONS")
                ? Endpoint.of(request -> Response.empty(204).header("Allow", methods), limits)
                : Endpoint.of(
                        request ->
                                errorPages
                                        .page(405, Status.reason(405))
                                        .status(405)
                                        .header("Allow", methods),
                        limits);
    }

    /** Answers {@code OPTIONS *} (RFC 9110 9.3.7). */
    Endpoint asterisk() {
        return Endpoint.of(request -> OPTIONS_OF_SERVER, limits);
    }

    /** Answers {@code CONNECT}: this is no tunnel. */
    Endpoint tunnel() {
        return Endpoint.of(request -> errorPages.page(501, Status.reason(501)).status(501), limits);
    }
}
