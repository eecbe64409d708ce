// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

/** Answers a request. Called by many threads at once unless all of its routes run on one loop. */
@FunctionalInterface
public interface Handler {

    /**
     * The response to {@code request}.
     *
     * @throws BadRequest to answer with a client's error and its message
     * @throws Exception to answer 500 without saying why; the log says it
     */
    Response handle(Request request) throws Exception;
}
