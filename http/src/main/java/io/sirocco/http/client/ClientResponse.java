// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.client;

import io.sirocco.http.Headers;
import java.util.Optional;

/**
 * The response to a {@link ClientRequest}. It exists when its headers have arrived; the body
 * follows. The client throws no exception for an error status, follows no redirects and stores no
 * cookies.
 *
 * <p>Read the body to its end, or {@link #close} the response: until then it occupies a connection,
 * at most for the total timeout. Any thread.
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

    /** Returns the status code, 101 or 200 to 999. */
    public int status() {
        return status;
    }

    /** Returns {@code HTTP/1.1} or {@code HTTP/1.0}. */
    public String version() {
        return version;
    }

    /** Returns the headers, in the order received. */
    public Headers headers() {
        return headers;
    }

    /** Returns the value of the first header with this name. */
    public Optional<String> header(String name) {
        return headers.first(name);
    }

    /**
     * Returns the body. It is empty in responses to HEAD, with status 101, 204 or 304, and of a
     * tunnel.
     */
    public ResponseBody body() {
        return body;
    }

    /**
     * Returns the trailers (RFC 9110 6.5) without forbidden ones. There are none before the whole
     * body was read.
     */
    public Headers trailers() {
        return exchange.trailers();
    }

    /** Returns the request. */
    public ClientRequest request() {
        return exchange.request;
    }

    /** Closes the body. See {@link ResponseBody#close}. */
    @Override
    public void close() {
        body.close();
    }

    /** Returns the status and the request, for messages. */
    @Override
    public String toString() {
        return status + " to " + exchange.request;
    }
}
