// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import java.util.Objects;

/**
 * Thrown when a request is malformed or exceeds a limit. The server responds with {@link #status}
 * and the {@linkplain Throwable#getMessage message}. The message is sent to the client, so it
 * should say what is wrong without repeating the client's input. The exception has no stack trace,
 * because it is caused by a client and not by a bug. Immutable.
 */
public final class BadRequest extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;

    /** Creates an exception for status 400 (RFC 9110 15.5.1). */
    public BadRequest(String message) {
        this(400, message);
    }

    /**
     * Creates an exception for another client error, such as 413.
     *
     * @throws IllegalArgumentException if the status is not between 400 and 499
     */
    public BadRequest(int status, String message) {
        super(Objects.requireNonNull(message, "message"), null, false, false);
        if (status < 400 || status > 499) {
            throw new IllegalArgumentException(
                    "The status of a BadRequest must be 400 to 499, not " + status + ".");
        }
        this.status = status;
    }

    /** Returns the status of the response, 400 to 499. */
    public int status() {
        return status;
    }
}
