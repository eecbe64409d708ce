// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

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
     * Returns whether this filter also applies to requests that no route matches: 404, 405 and
     * automatic {@code OPTIONS} responses. The default implementation returns false. See {@link
     * Routes#filterAll}.
     */
    default boolean seesUnmatched() {
        return false;
    }
}
