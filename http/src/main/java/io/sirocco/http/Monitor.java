// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.net.CloseCause;
import java.net.SocketAddress;
import java.util.List;
import java.util.Optional;

/**
 * Receives notifications of requests, connections and failures, for access logs and metrics. Set by
 * {@link Config#monitor}. All methods do nothing by default.
 *
 * <pre>{@code
 * var lines = new ArrayBlockingQueue<String>(10_000); // another thread writes them
 * config.monitor(new Monitor() {
 *     @Override
 *     public void completed(CompletedRequest request) {
 *         lines.offer(request.method() + " " + request.target() + " " + request.status()
 *                 + " " + request.nanos() / 1000 + " µs"); // a full queue drops it
 *     }
 * });
 * }</pre>
 *
 * <p>Methods are called on a virtual thread of each event loop, on several loops at once: soon
 * after what they report, in its order and one after the other on each loop. A method that waits,
 * for a lock or for another thread, delays the reports behind it and nothing else; when 1,024 of
 * them wait, the loop waits, too. Reports do not wait for one that still waits when its loop ends,
 * or when no heap is left to queue them: only then can two calls of one loop overlap. A method that
 * blocks without parking blocks the loop: count, or hand over to a bounded queue with {@code
 * offer}. Do not write to {@code System.out}, a file or a logger that writes itself, which block
 * when the pipe or disk behind them does. An exception that a method throws is logged and has no
 * other effect.
 */
public interface Monitor {
    /** A monitor that does nothing. The default; a server without a monitor does no work for it. */
    Monitor NONE = new Monitor() {};

    /**
     * Returns a monitor that notifies each of {@code monitors} in order, even if one of them
     * throws.
     */
    static Monitor all(List<Monitor> monitors) {
        return switch (monitors.size()) {
            case 0 -> NONE;
            case 1 -> monitors.getFirst();
            default -> new Monitors(List.copyOf(monitors));
        };
    }

    /**
     * Called when a response has ended: the kernel has taken its last byte, or the connection was
     * closed before.
     */
    default void completed(CompletedRequest request) {}

    /** Called when the server refuses a request with a {@link RequestError}. */
    default void rejected(RejectedRequest request) {}

    /**
     * Called when a client has connected, even if it never sends a request; over TLS, after the
     * handshake.
     */
    default void opened(OpenedConnection connection) {}

    /**
     * Called when a connection was closed for which {@link #opened} was called, including those of
     * WebSockets.
     */
    default void closed(ClosedConnection connection) {}

    /**
     * Called when a handler throws an exception, which responds with 500, or when a WebSocket
     * handler or listener does, which closes the socket with 1011. The exception is also logged.
     *
     * @param requestId the {@linkplain Request#id id} of the request
     */
    default void handlerFailed(String requestId, Throwable thrown) {}

    /**
     * Does the same, with what the log calls the request. Calls {@link #handlerFailed(String,
     * Throwable)} by default.
     *
     * @param request its method and path, such as {@code GET /report}, without the query; the route
     *     if that has parameters; empty for a WebSocket
     */
    default void handlerFailed(String requestId, String request, Throwable thrown) {
        handlerFailed(requestId, thrown);
    }

    /**
     * Called when a handler has blocked an event loop without parking, so that its route has moved
     * to the JDK's scheduler (see {@link ExecutionMode#VIRTUAL}). Called once for each route.
     *
     * @param route the method and the pattern, such as {@code GET /report/{id}}
     * @param millis how long the handler has blocked the loop so far
     * @param stack the stack of the blocking code, innermost frame first
     */
    default void routeMoved(String route, long millis, StackTraceElement[] stack) {}

    /**
     * Called when an event loop has died. The server accepts no more connections; see {@link
     * Server#failure}. Called once: on the loop's own thread, or on a thread of its own when the
     * loop is blocked.
     */
    default void loopDied(Throwable cause) {}

    /**
     * A request and its response. A view that creates strings only when they are requested, and is
     * valid during the call only: copy the values that you keep. Loop-confined.
     */
    interface CompletedRequest {
        /**
         * Returns the index of the calling event loop, from 0. Calls with the same index do not
         * overlap while the loop runs, so a monitor that has separate counters for each loop, and
         * does not wait, needs no locks.
         */
        int loop();

        /** Returns the {@linkplain Request#id id} of the request. */
        String id();

        /** Returns the current wall-clock time in milliseconds since 1970. */
        long millis();

        /** Returns the address of the client, as {@link Request#remoteAddress} does. */
        SocketAddress remoteAddress();

        /** Returns the address of the connection's peer, which is a proxy if there is one. */
        SocketAddress peerAddress();

        /**
         * Returns whether the client sent the request over TLS, as {@link Request#isSecure} does.
         */
        boolean isSecure();

        /** Returns the version of HTTP: {@code HTTP/1.0} or {@code HTTP/1.1}. */
        String version();

        /** Returns the method as sent. */
        String method();

        /**
         * Returns the path and the query as sent; see {@link Request#target}. Clients choose them
         * freely, so do not group metrics by them.
         */
        String target();

        /** Returns the requested host without the port; empty if there is none. */
        String host();

        /** Returns the first value of a request header. */
        Optional<String> header(String name);

        /** Returns the name of the authenticated user, the attribute {@link Request#USER}. */
        Optional<String> user();

        /** Returns an attribute that a filter or the handler has stored. */
        Optional<Object> attribute(String name);

        /**
         * Returns the pattern that matched, such as {@code /hello/{name}}, preceded by the virtual
         * host if the route has one: {@code example.org/hello/{name}}. Empty if none matched. Each
         * request of a route returns the same string.
         */
        String route();

        /**
         * Returns the status of the response; 0 if the connection was closed before the response
         * began.
         */
        int status();

        /** Returns the number of received bytes of the request body. */
        long bytesIn();

        /**
         * Returns the number of bytes of the response body that the kernel has taken. For an
         * incomplete response the number is an estimate, which may exclude chunk framing.
         */
        long bytesOut();

        /**
         * Returns the time in nanoseconds from the end of the request's headers until the kernel
         * has taken the last byte of the response.
         */
        long nanos();

        /**
         * Returns whether the kernel has taken the whole response. The client may not have read it
         * yet: the kernel buffers about 100 KB.
         */
        boolean isComplete();

        /** Returns the error with which the server refused the request, if it did. */
        Optional<RequestError> error();

        /**
         * Returns the name of the access rule by which a filter refused the request; see {@link
         * Request#rejectedBy(String)}.
         */
        Optional<String> rejectedBy();
    }

    /**
     * A request that the server refused. Immutable.
     *
     * @param loop the index of the calling event loop
     * @param id the id of the request
     * @param millis wall-clock time in milliseconds since 1970
     * @param remote the address of the client; that of the peer if the headers were refused
     * @param secure whether the request came over TLS
     * @param error the reason, with its status and source
     * @param method the method as sent; empty if it was not received
     * @param target the path and the query as sent, as far as they were received; may be empty
     * @param alone whether this is the only notification of the request, because its headers were
     *     refused; otherwise a {@link CompletedRequest} follows
     * @param bytesOut bytes of the body that was sent, if {@code alone}: those of the error page,
     *     and none to {@code HEAD}
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
     * A connection that was opened. Immutable.
     *
     * @param loop the index of the calling event loop
     * @param millis wall-clock time in milliseconds since 1970
     * @param remote the address of the peer
     * @param local the local address
     * @param secure whether it uses TLS
     */
    record OpenedConnection(
            int loop, long millis, SocketAddress remote, SocketAddress local, boolean secure) {}

    /**
     * A connection that was closed. Immutable.
     *
     * @param loop the index of the calling event loop
     * @param millis wall-clock time in milliseconds since 1970
     * @param remote the address of the peer
     * @param local the local address
     * @param secure whether it used TLS
     * @param cause why it was closed
     */
    record ClosedConnection(
            int loop,
            long millis,
            SocketAddress remote,
            SocketAddress local,
            boolean secure,
            CloseCause cause) {}
}
