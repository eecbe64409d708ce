// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import io.sirocco.http.Handler;
import io.sirocco.http.Request;
import io.sirocco.http.Response;

/** Responds to every request with the same status and text. Immutable. */
public final class Respond implements Handler {
    private final Response response;

    /**
     * Creates a handler with one response.
     *
     * @throws IllegalArgumentException if the status is not 200 to 599, or there is a text with a
     *     status that has no content (204, 205 and 304; RFC 9110 15)
     */
    public Respond(int status, String text) {
        boolean none = status == 204 || status == 205 || status == 304;
        if (none && !text.isEmpty()) {
            throw new IllegalArgumentException(
                    "A response with status " + status + " has no text; leave it out.");
        }
        response = text.isEmpty() ? Response.empty(status) : Response.text(text).status(status);
    }

    @Override
    public Response handle(Request request) {
        return response;
    }
}
