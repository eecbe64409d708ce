// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

/**
 * A function from a {@link Request} to a {@link Response}. A handler is plain blocking code unless
 * its route {@linkplain ExecutionMode says otherwise}.
 *
 * <p>Called by many threads at once, so shared state must be thread-safe.
 */
@FunctionalInterface
public interface Handler {

    /**
     * Handles a request.
     *
     * @return the response, never null
     * @throws BadRequest to respond with a status from 400 to 499 and the exception's message
     * @throws Exception to respond with 500; the exception is logged and its text never sent
     */
    Response handle(Request request) throws Exception;

    /**
     * Sets what this handler needs of its route, such as {@link Route#startBeforeBody}. Called when
     * the route is added; what the program sets afterwards overrides it. An execution mode counts
     * only for a route without filters, since these run where the handler does. The default
     * implementation does nothing.
     */
    default void configure(Route route) {}
}
