// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.client;

import io.sirocco.http.Headers;
import java.util.Optional;

/**
 * The response to a {@link ClientRequest}, as soon as its header section has arrived; the body
 * follows. Whatever the status, it is a response and no exception; redirects and cookies are left
 * to the caller. Read the body or {@link #close} the response: until then it occupies a connection,
 * for as long as the total timeout. Any thread.
 */
public final class ClientResponse implements AutoCloseable {
    private final ClientExchange exchange;
    private final int status;
    private final String version;
    private final Headers headers;
    private final ResponseBody body;

    ClientResponse(
            ClientExchange exchange,
            int status,
            String version,
            Headers headers,
            ResponseBody body) {
        this.exchange = exchange;
        this.status = status;
        this.version = version;
        this.headers = headers;
        this.body = body;
    }

    /** The status code, 101 or 200 to 999. */
    public int status() {
        return status;
    }

    /** {@code HTTP/1.1} or {@code HTTP/1.0}. */
    public String version() {
        return version;
    }

    /** The headers, in their order. */
    public Headers headers() {
        return headers;
    }

    /** The first header of this name. */
    public Optional<String> header(String name) {
        return headers.first(name);
    }

    /** The body; empty in a response to HEAD, with 101, 204 and 304, and of a tunnel. */
    public ResponseBody body() {
        return body;
    }

    /**
     * The trailers behind the body (RFC 9110 6.5), without those that must not be trailers; none
     * before all of the body has been read.
     */
    public Headers trailers() {
        return exchange.trailers();
    }

    /** The request that it responds to. */
    public ClientRequest request() {
        return exchange.request;
    }

    /** Gives up what has not been read of the body: {@link ResponseBody#close}. */
    @Override
    public void close() {
        body.close();
    }

    /** The status and the request, for messages. */
    @Override
    public String toString() {
        return status + " to " + exchange.request;
    }
}
