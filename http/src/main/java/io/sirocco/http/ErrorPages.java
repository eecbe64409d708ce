// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

/**
 * What the server answers when no handler does: one plain line, unless a server is given its own.
 */
@FunctionalInterface
public interface ErrorPages {
    /** The reason phrase as plain text: says nothing that the status does not say. */
    ErrorPages PLAIN = (status, message) -> Response.text(message).status(status);

    /**
     * The response for {@code status}; {@code message} is safe to show, and in plain English.
     * Called on a loop.
     */
    Response page(int status, String message);
}
