// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import io.sirocco.http.client.HttpClientException.Reason;

/**
 * Why a request has no response of a server, and what the client gets instead (RFC 9110 15.6).
 * Immutable.
 */
enum ProxyFailure {
    /** No connection, a malformed response, or a connection that ended too early. */
    BAD_GATEWAY(502, true),
    /** The server, or the connection to it, was too slow. */
    GATEWAY_TIMEOUT(504, true),
    /** No server is available. */
    NO_SERVER(503, false),
    /** A limit of the upstream is reached, or the memory of the loop is used up. */
    BUSY(503, false),
    /** The request has passed through this proxy too often (RFC 5842 7.2). */
    LOOP(508, false),
    /** The request itself did not arrive. */
    REQUEST(400, false);

    final int status;
    final boolean ofServer; // it speaks against the server

    ProxyFailure(int status, boolean ofServer) {
        this.status = status;
        this.ofServer = ofServer;
    }

    static ProxyFailure of(Reason reason) {
        return switch (reason) {
            case CONNECT_TIMEOUT,
                    TLS_TIMEOUT,
                    WRITE_TIMEOUT,
                    RESPONSE_TIMEOUT,
                    BODY_TIMEOUT,
                    TOTAL_TIMEOUT ->
                    GATEWAY_TIMEOUT;
            case QUEUE_FULL, QUEUE_TIMEOUT, CLIENT_CLOSED, MEMORY_SHORT -> BUSY;
            case REQUEST_BODY_FAILED, REQUEST_BODY_LENGTH, CANCELED, LISTENER_FAILED -> REQUEST;
            default -> BAD_GATEWAY;
        };
    }

    /**
     * Returns whether an attempt ended before a response began, so that an idempotent request may
     * be sent once more.
     */
    static boolean beforeResponse(Reason reason) {
        return switch (reason) {
            case CONNECTION_CLOSED, RESPONSE_TIMEOUT, WRITE_TIMEOUT -> true;
            default -> reason.retryable();
        };
    }
}
