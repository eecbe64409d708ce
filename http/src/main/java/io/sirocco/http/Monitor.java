// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.net.CloseCause;
import java.net.SocketAddress;
import java.util.List;
import java.util.Optional;

/**
 * The one interface for access log and metrics. Called on a loop: must not block; what it throws is
 * logged and changes nothing. A server without one does no work for it.
 */
public interface Monitor {
    /** Wants to know nothing. */
    Monitor NONE = new Monitor() {};

    /** Each of {@code monitors} is told everything, in this order, whatever the others throw. */
    static Monitor all(List<Monitor> monitors) {
        return switch (monitors.size()) {
            case 0 -> NONE;
            case 1 -> monitors.getFirst();
            default -> new Monitors(List.copyOf(monitors));
        };
    }

    /**
     * A response is over: the system has taken all of it to be sent, or its connection has ended
     * before.
     */
    default void completed(CompletedRequest answered) {}

    /** A request was refused before it reached a handler, by the rule that is named. */
    default void rejected(RejectedRequest rejected) {}

    /**
     * A client has connected, though it may never send anything. Over TLS: when the handshake is
     * done.
     */
    default void opened(OpenedConnection opened) {}

    /** A connection that was {@linkplain #opened opened} is gone, a WebSocket's as well. */
    default void closed(ClosedConnection closed) {}

    /**
     * A handler threw; the client was told 500 and no more. Or a conversation or a listener of a
     * WebSocket did, which was closed with 1011.
     */
    default void handlerFailed(String requestId, Throwable thrown) {}

    /**
     * A handler of {@code route} has blocked an event loop for {@code millis} without parking, and
     * the JDK's scheduler runs that route from now on. Told once for each route.
     *
     * @param route its method and its pattern, such as {@code GET /report/{id}}
     * @param stack where it was seen, innermost first
     */
    default void routeMoved(String route, long millis, StackTraceElement[] stack) {}

    /**
     * An event loop has died of {@code why}, and the server accepts no connections any more; {@link
     * Server#failure} tells the same. Called once, on the thread of that loop.
     */
    default void loopDied(Throwable why) {}

    /**
     * One request and its response: a view that makes a text when it is asked for one, and not
     * before. It is good for as long as the call that it is given to; what shall outlive that is
     * copied. Loop-confined.
     */
    interface CompletedRequest {
        /**
         * The number of the loop that it is told on, from 0: with counts of its own for each loop,
         * a monitor needs no locks, for no two calls with one number are ever under way at once.
         */
        int loop();

        /** Names the request in logs, as {@link Request#id} does. */
        String id();

        /** Now, in milliseconds of the wall clock. */
        long millis();

        /** The client, as {@link Request#remoteAddress} has it. */
        SocketAddress remoteAddress();

        /** The address that the connection came from: a proxy's, if there is one. */
        SocketAddress peerAddress();

        /** Whether the client sent it over TLS, as {@link Request#isSecure} has it. */
        boolean isSecure();

        /** HTTP/1.0 or HTTP/1.1. */
        String version();

        /** As sent. */
        String method();

        /** As sent, with its query. */
        String target();

        /** The host that was asked for, without the port; empty when none was named. */
        String host();

        /** The first header field of this name. */
        Optional<String> header(String name);

        /** What a filter has left under {@link Request#USER}. */
        Optional<String> user();

        /**
         * The pattern that matched, such as {@code /hello/{name}}, behind the host of its site if
         * that has one: {@code example.org/hello/{name}}. Empty when none did. The same text for
         * each request of a route.
         */
        String route();

        /** Of the response; 0 when the connection ended before there was one. */
        int status();

        /** Of the request's body. */
        long bytesIn();

        /**
         * Of the response's body, as the system has taken them to be sent; of one that was cut in
         * the middle, counted from its end, so that what frames the body may be missing.
         */
        long bytesOut();

        /** From the complete head until the system has taken the last byte of the response. */
        long nanos();

        /**
         * Whether the system has taken all of the response, for which the client need not have read
         * it: some 100 KB fit between the two.
         */
        boolean isComplete();

        /**
         * The rule by which HTTP or a limit of the server refused the request, if it was refused.
         */
        Optional<RequestError> error();

        /** The name that a filter has given to {@link Request#rejectedBy}. */
        Optional<String> rejectedBy();
    }

    /**
     * A refusal. Immutable.
     *
     * @param loop the number of the loop that it is told on
     * @param id names the request in logs
     * @param millis of the wall clock
     * @param remote the client; when its head was refused, as far as the connection tells
     * @param secure whether it came over TLS
     * @param error why
     * @param method as sent; empty when it did not come that far
     * @param target as sent, or as much of it as could be read; empty when it did not come that far
     * @param alone whether this is all that is told of the request: its head was refused, so that
     *     no {@link CompletedRequest} tells of it
     * @param bytesOut bytes of the page that it is answered with, if it is {@code alone}
     */
    record RejectedRequest(
            int loop,
            String id,
            long millis,
            SocketAddress remote,
            boolean secure,
            RequestError error,
            String method,
            String target,
            boolean alone,
            long bytesOut) {}

    /**
     * A connection that begins. Immutable.
     *
     * @param loop the number of the loop that it is told on
     * @param millis of the wall clock
     * @param remote the peer
     * @param local the address that it came to
     * @param secure whether TLS is spoken
     */
    record OpenedConnection(
            int loop, long millis, SocketAddress remote, SocketAddress local, boolean secure) {}

    /**
     * A connection that is gone. Immutable.
     *
     * @param loop the number of the loop that it is told on
     * @param millis of the wall clock
     * @param remote the peer
     * @param local the address that it came to
     * @param secure whether TLS was spoken
     * @param cause why it is gone
     */
    record ClosedConnection(
            int loop,
            long millis,
            SocketAddress remote,
            SocketAddress local,
            boolean secure,
            CloseCause cause) {}
}
