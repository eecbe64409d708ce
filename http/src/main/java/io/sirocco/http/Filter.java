// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.http.route.FilteredHandler;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * Wraps handlers: inspects a request, calls the next handler or responds itself, and may change the
 * response. Added by {@link Routes#filter}; runs where the handler of its route runs.
 *
 * <pre>{@code
 * Filter timed = (request, next) -> {
 *     long began = System.nanoTime();
 *     return next.handle(request).map(response -> response.header(
 *             "Server-Timing", "app;dur=" + (System.nanoTime() - began) / 1_000_000));
 * };
 * }</pre>
 *
 * <p>Use {@link Response#map} or {@link Response#mapOnce} to change a response, since it may be
 * {@linkplain Response#async asynchronous}.
 *
 * <p>Called by many threads at once, so shared state must be thread-safe.
 */
@FunctionalInterface
public interface Filter {

    /**
     * Returns the response to {@code request}, usually that of {@code next.handle(request)}.
     *
     * @throws BadRequest to respond with a status from 400 to 499 and the exception's message
     * @throws Exception to respond with 500; the exception is logged and its text never sent
     */
    Response filter(Request request, Handler next) throws Exception;

    /**
     * Creates a filter that changes every response, also those that no handler returns: 404 and
     * 405, the page of an exception, and that of a timeout or limit of the server.
     *
     * <pre>{@code
     * routes.filter(Filter.ofResponses(response -> response.setHeader("X-Frame-Options", "DENY")));
     * }</pre>
     *
     * @param change depends on nothing but the response, since its result is cached as by {@link
     *     Response#mapOnce}; must not block
     */
    static Filter ofResponses(UnaryOperator<Response> change) {
        Objects.requireNonNull(change, "The change of responses is null.");
        return new Filter() {
            @Override
            public Response filter(Request request, Handler next) throws Exception {
                return next.handle(request).mapOnce(change);
            }

            @Override
            public Response finish(Request request, Response page) {
                return change.apply(page);
            }

            @Override
            public boolean seesUnmatched() {
                return true;
            }
        };
    }

    /**
     * Changes the response to an error that no handler or filter has responded to: an exception, a
     * handler timeout, a limit. {@link #filter} is not called for it, or has thrown the exception.
     * A filter that adds headers to responses adds them here, too, or a browser hides the error
     * from a page of another origin, for example. The default implementation returns {@code page}.
     *
     * <p>Called for each filter of the route, the innermost first, on the event loop or on the
     * thread of the handler. Must not block, nor change the body. If the headers of the request
     * were refused, or did not arrive in time, the request has those of them that say what it is
     * for and where it came from, {@code Host} and {@code Origin}, as far as they have arrived; a
     * target that was refused ends before the character that was.
     *
     * @param page status, headers and a body of bytes
     */
    default Response finish(Request request, Response page) {
        return page;
    }

    /** Returns a handler that calls this filter with {@code next}. */
    default Handler before(Handler next) {
        return new FilteredHandler(this, next);
    }

    /**
     * Returns whether this filter also applies to requests that no route matches: 404, 405 and
     * automatic {@code OPTIONS} responses. The default implementation returns false. See {@link
     * Routes#filterAll}.
     */
    default boolean seesUnmatched() {
        return false;
    }
}
