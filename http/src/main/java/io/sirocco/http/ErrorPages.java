// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

/**
 * Creates the responses that no handler creates: 404, 405, 500 and refusals by the server. Set by
 * {@link Config#errorPages}.
 *
 * <pre>{@code
 * config.errorPages((status, message) ->
 *         Response.html("<h1>" + status + "</h1><p>" + message));
 * }</pre>
 *
 * <p>The body must consist of bytes: text, HTML or JSON. Called on the event loops and where
 * handlers run, by several threads at once; must not block.
 */
@FunctionalInterface
public interface ErrorPages {
    /** One line of plain text. The default. */
    ErrorPages PLAIN = (status, message) -> Response.text(message).status(status);

    /**
     * Returns the response for {@code status}.
     *
     * @param message a plain English sentence that is safe to show to the client
     */
    Response page(int status, String message);
}
