// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import java.io.IOException;

/** A server has answered something else than an upgrade to WebSocket. Immutable. */
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

    /** The status of the answer: 401, 403, 429 and the like. Redirects are not followed. */
    public int status() {
        return status;
    }

    /** The fields of the answer. */
    public Headers headers() {
        return headers;
    }
}
