// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import io.sirocco.http.Headers;
import io.sirocco.http.loop.ServerProtocol;
import io.sirocco.http.route.RouteTarget;
import io.sirocco.net.CloseCause;
import io.sirocco.net.Connection;
import io.sirocco.net.OpenFile;
import io.sirocco.net.ReceivedBytes;
import io.sirocco.net.TlsSession;
import java.net.SocketAddress;
import java.util.Optional;
import java.util.function.Function;

/**
 * Carries one {@link Exchange} at a time for a version of HTTP: the connection of HTTP/1.1, or one
 * of the streams of a later version. It knows how messages are framed, and nothing of routes,
 * handlers and timeouts.
 *
 * <pre>
 *   stream                                   exchange
 *   headers complete ── Dispatcher.open ───▶ start
 *   body bytes ──────── received, delivered ▶ request body ─▶ handler
 *                    ◀── demand ───────────
 *                    ◀── send | begin, data, piece, file ..., end | upgrade | reset
 *   peer, output, time ─ drained, expired, clientGone, closed ▶
 * </pre>
 *
 * <p>When both messages are complete, or the rest of the request is not read, the stream calls
 * {@link Exchange#over}. Loop-confined.
 */
public interface HttpStream {
    /**
     * Returns the client of the connection: the peer, or the address that the PROXY protocol names.
     */
    SocketAddress remote();

    /** Returns the peer of the connection. */
    SocketAddress peer();

    /** Returns the local address of the connection. Any thread. */
    SocketAddress local();

    /** Returns the TLS session of the connection, if there is one. Any thread. */
    Optional<TlsSession> tls();

    /** Returns whether the connection is encrypted. */
    boolean secure();

    /** Returns whether the certificate of the connection is valid for this host. */
    boolean authoritative(byte[] bytes, int from, int to);

    /** Returns whether the client can still be sent something. */
    boolean open();

    /**
     * Returns whether the connection has not been closed. One that the server ends behind its last
     * response is connected, but no longer {@link #open}, until that has left.
     */
    boolean connected();

    // ---- the request

    /**
     * Continues to read the body of the request, whose buffer has room. The first call tells a
     * client that waits for 100 (Continue) to go on.
     */
    void demand();

    /** Stops reading the request, the rest of whose body is of no use. */
    void abandonBody();

    /** Applies the bandwidth limits of the route. */
    void pace(RouteTarget.Buckets limits);

    /**
     * Accounts for {@code bytes} of memory that the exchange holds; returns whether the loop's
     * budget allows them.
     */
    boolean stores(long bytes);

    // ---- the response

    /** Closes the connection after the response, in versions with one response at a time. */
    void closeAfterResponse();

    /** Sends an interim response, before the response. */
    void interim(int status, Headers headers);

    /** Sends a response and its whole body, and ends it. */
    void send(ResponseMessage response, byte[] body);

    /** Begins a response whose body follows; {@code length} is -1 when it is unknown. */
    void begin(ResponseMessage response, long length);

    /** Sends a copy of a segment of the body, which is not empty. */
    void data(byte[] bytes, int from, int to);

    /** Sends the first {@code count} bytes of what another connection has received. */
    void data(ReceivedBytes input, int count);

    /**
     * Sends a segment of the body that must not change afterwards, without a copy where that pays.
     */
    void piece(byte[] bytes, int from, int to);

    /** Does the same with a whole array. */
    default void piece(byte[] bytes) {
        piece(bytes, 0, bytes.length);
    }

    /** Sends a region of a file, which is released when that is done. */
    void file(OpenFile file, long from, long length);

    /** Ends the body, and with it the response. Trailers are dropped where they cannot be sent. */
    void end(Headers trailers);

    /**
     * Ends the stream in the middle of a response, so that the client notices that it is
     * incomplete.
     */
    void reset();

    /**
     * Does the same behind what was written, where the framing of the body says that more should
     * follow; otherwise this is {@link #reset}.
     */
    void cutOff();

    /** Ends the connection at once. */
    void abort(CloseCause cause);

    /** Sends 101 with these headers, and passes the connection to the returned protocol. */
    void upgrade(ResponseMessage head, Function<Connection, ServerProtocol> next);

    /** Reports the exchange when the kernel has taken its whole response. */
    void reportWhenSent(Exchange exchange);

    // ---- output and time

    /** Returns whether the writer should stop, because too much output waits for the client. */
    boolean congested();

    /** Returns the number of output bytes that the kernel has not taken. */
    long unsent();

    /** Calls {@link Exchange#expired} at {@code at}, in milliseconds of the loop's clock. */
    void deadline(long at);

    /**
     * Records how much output waits now, and returns when the client must have taken some of it, in
     * milliseconds of the loop's clock.
     */
    long outputDeadline();

    /**
     * Aborts if the client has taken nothing since the last record; otherwise records again and
     * continues.
     */
    void abortIfStalled();
}
