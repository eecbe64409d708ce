// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.route;

import io.sirocco.http.Filter;
import io.sirocco.http.Handler;
import io.sirocco.http.Request;
import io.sirocco.http.Response;

/** A handler behind a filter, which may be a filtered handler itself. Immutable. */
public record FilteredHandler(Filter filter, Handler next) implements Handler {
    @Override
    public Response handle(Request request) throws Exception {
        return filter.filter(request, next);
    }

    /** Returns an error page as all filters change it, the innermost first. */
    public Response finish(Request request, Response page) {
        Response inner = next instanceof FilteredHandler more ? more.finish(request, page) : page;
        return filter.finish(request, inner);
    }
}
