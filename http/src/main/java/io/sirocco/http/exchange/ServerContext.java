// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import io.sirocco.http.ErrorPages;
import io.sirocco.http.Monitor;
import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.http.Status;
import io.sirocco.http.TrustedProxies;
import io.sirocco.http.route.RouteTarget;
import io.sirocco.http.route.Router;
import io.sirocco.http.route.UnmatchedFilters;
import io.sirocco.net.log.LazyLogger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.ExecutorService;

/** The frozen configuration of a server, shared by all its loops. Immutable. */
public record ServerContext(
        String id,
        Router<RouteTarget> router,
        Limits limits,
        DateAndServer dateAndServer,
        Monitor monitor,
        TrustedProxies proxies,
        ErrorPages errorPages,
        ExecutorService pool,
        boolean sniHostCheck,
        UnmatchedFilters unmatched,
        Response optionsOfServer)
        implements ErrorPages {

    private static final LazyLogger LOG = LazyLogger.of(Server.class);

    /** Returns the error page for {@code status}; a plain one if the configured page fails. */
    @Override
    public ResponseMessage page(int status, String message) {
        try {
            var page = (ResponseMessage) errorPages.page(status, message).status(status);
            if (page.content() instanceof Content.Bytes) {
                return page;
            }
            LOG.get()
                    .log(
                            Level.WARNING,
                            "the error page for {0} is not made of bytes; using a plain one",
                            status);
        } catch (RuntimeException e) {
            LOG.get().log(Level.WARNING, "the error pages threw; using a plain one", e);
        }
        return (ResponseMessage) ErrorPages.PLAIN.page(status, message).status(status);
    }

    /** Returns the target for requests that no route matches. */
    RouteTarget notFound() {
        return RouteTarget.of(request -> page(404, Status.reason(404)), limits.route());
    }

    /**
     * Returns the target for a method that the path does not support, including automatic {@code
     * OPTIONS} responses.
     */
    RouteTarget notAllowed(String method, List<String> allow) {
        return RouteTarget.of(request -> methodNotAllowed(method, allow), limits.route());
    }

    /** Returns the response to a method that the path does not support, or to {@code OPTIONS}. */
    Response methodNotAllowed(String method, List<String> allow) {
        Response page =
                method.equals("OPTIONS") ? Response.empty(204) : page(405, Status.reason(405));
        return page.header("Allow", String.join(", ", allow));
    }

    /** Returns the target for {@code OPTIONS *} (RFC 9110 9.3.7). */
    RouteTarget asterisk() {
        return RouteTarget.of(request -> optionsOfServer, limits.route());
    }

    /** Returns the target for {@code CONNECT}, which is refused. */
    RouteTarget tunnel() {
        return RouteTarget.of(request -> page(501, Status.reason(501)), limits.route());
    }
}
