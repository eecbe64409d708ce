// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import java.net.SocketAddress;

/**
 * The one interface for access log and metrics. Called on a loop: must not block; what it throws is
 * logged and changes nothing. A server without one builds no records.
 */
public interface Monitor {
    /** Wants to know nothing. */
    Monitor NONE = new Monitor() {};

    /** A response has been written, or its connection has ended before. */
    default void answered(Answered answered) {}

    /** A request was refused before it reached a handler, by the rule that is named. */
    default void rejected(Rejected rejected) {}

    /** A handler threw; the client was told 500 and no more. */
    default void failed(String requestId, Throwable thrown) {}

    /**
     * One request and its response. Immutable.
     *
     * @param remote the peer
     * @param method as sent
     * @param target as sent, with its query
     * @param route the pattern that matched, such as {@code /hello/{name}}; empty when none did
     * @param status of the response; 0 when the connection ended before there was one
     * @param bytesIn of the request's body
     * @param bytesOut of the response's body, as written to the connection
     * @param nanos from the complete head to the end of the response
     * @param complete whether all of the response was written
     */
    record Answered(
            SocketAddress remote,
            String method,
            String target,
            String route,
            int status,
            long bytesIn,
            long bytesOut,
            long nanos,
            boolean complete) {}

    /** A refusal. Immutable. */
    record Rejected(SocketAddress remote, Rule rule) {}
}
