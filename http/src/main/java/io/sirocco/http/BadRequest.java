// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import java.util.Objects;

/**
 * A request that cannot be understood or is beyond a limit. The server answers it with {@link
 * #status} and {@link Throwable#getMessage the message}, so the message says what is wrong and
 * never repeats what the client sent. It has no stack trace: clients cause it, not code. Immutable.
 */
public final class BadRequest extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;

    /** Status 400 (RFC 9110 15.5.1). */
    public BadRequest(String message) {
        this(400, message);
    }

    /**
     * Another status of the client's errors, such as 413 for too much.
     *
     * @throws IllegalArgumentException when the status is not 400 to 499
     */
    public BadRequest(int status, String message) {
        super(Objects.requireNonNull(message, "message"), null, false, false);
        if (status < 400 || status > 499) {
            throw new IllegalArgumentException(
                    "A client's error has a status from 400 to 499, not " + status + ".");
        }
        this.status = status;
    }

    /** The status to answer with, 400 to 499. */
    public int status() {
        return status;
    }
}
