// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

/**
 * Stands before handlers: looks at the request, calls the next one or answers itself, and may
 * change the response. Runs where its route's handler runs.
 */
@FunctionalInterface
public interface Filter {

    /** The response to {@code request}, mostly that of {@code next.handle(request)}. */
    Response filter(Request request, Handler next) throws Exception;

    /**
     * Whether it also stands before what no route matches: 404, 405, and {@code OPTIONS} that is
     * answered by itself. False unless a filter says otherwise; see {@link Routes#filterAll}.
     */
    default boolean seesUnmatched() {
        return false;
    }
}
