// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import java.io.IOException;

/**
 * Thrown when a server responds to a WebSocket handshake with anything but an upgrade. Immutable.
 */
public final class WebSocketRefused extends IOException {
    private static final long serialVersionUID = 1;

    private final int status;
    private final transient Headers headers;

    /** Creates the failure of a handshake with {@code uri}. */
    public WebSocketRefused(String uri, int status, Headers headers) {
        super(
                uri
                        + " responded with "
                        + status
                        + " ("
                        + Status.reason(status)
                        + "), not a WebSocket");
        this.status = status;
        this.headers = headers;
    }

    /** Returns the status of the response, such as 401, 403 or 429. Redirects are not followed. */
    public int status() {
        return status;
    }

    /** Returns the headers of the response. */
    public Headers headers() {
        return headers;
    }
}
