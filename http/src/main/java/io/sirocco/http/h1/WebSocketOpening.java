// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sirocco.http.Headers;
import io.sirocco.http.HostAndPort;
import io.sirocco.http.WebSocket;
import io.sirocco.http.WebSocketListener;
import io.sirocco.http.message.CheckedHeaders;
import io.sirocco.http.message.HeadLimits;
import io.sirocco.http.websocket.ClientLoopContext;
import io.sirocco.http.websocket.WebSocketClientHandshake;
import io.sirocco.http.websocket.WebSocketConnection;
import io.sirocco.http.websocket.WebSocketGroup;
import io.sirocco.net.CloseCause;
import io.sirocco.net.Connection;
import io.sirocco.net.Connector;
import io.sirocco.net.Protocol;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.util.concurrent.CompletableFuture;

/**
 * Opens a WebSocket to a server with an HTTP/1.1 request:
 *
 * <pre>
 *   connected ── request ──▶ received ── 101, and all of it is right ──▶ WebSocketConnection
 *                               │ another status, a rule broken, the end, the deadline
 *                               └──────────────────────────────────────▶ failed
 * </pre>
 *
 * Loop-confined.
 */
public final class WebSocketOpening implements Connector, Protocol {
    private static final int MAX_INTERIM = 16;

    private final ClientLoopContext context;
    private final URI uri;
    private final Headers fields;
    private final long deadlineMillis;
    private final CompletableFuture<WebSocket> outcome;
    private final WebSocketClientHandshake handshake;
    private final ResponseHead head = new ResponseHead();
    private int interim; // responses before the final one

    public WebSocketOpening(
            ClientLoopContext context,
            WebSocketGroup sockets,
            URI uri,
            Headers fields,
            WebSocketListener listener,
            long deadlineMillis,
            CompletableFuture<WebSocket> outcome) {
        this.context = context;
        this.uri = uri;
        this.fields = fields;
        this.deadlineMillis = deadlineMillis;
        this.outcome = outcome;
        this.handshake = new WebSocketClientHandshake(context, sockets, uri, listener);
    }

    @Override
    public Protocol connected(Connection connection) {
        byte[] request = request().getBytes(ISO_8859_1);
        connection.write(request, 0, request.length);
        connection.deadline(context.loop.now() + deadlineMillis);
        return this;
    }

    private String request() {
        String path = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
        String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
        int usual = uri.getScheme().equalsIgnoreCase("wss") ? 443 : 80;
        HostAndPort to = HostAndPort.of(uri, usual).orElseThrow();
        String host = to.port() == usual ? to.host() : to.toString();
        Headers all = Headers.of("Host", host).with(handshake.headers()).with(fields);
        return "GET " + path + query + " HTTP/1.1\r\n" + all + "\r\n";
    }

    @Override
    public int received(Connection connection, byte[] bytes, int from, int to) {
        int at = from;
        while (true) {
            switch (head.parse(bytes, at, to, HeadLimits.DEFAULT)) {
                case INCOMPLETE -> {
                    return at;
                }
                case REJECTED -> fail(connection, handshake.broken(head.why()));
                case COMPLETE -> {
                    boolean isInterim = head.status() < 200 && head.status() != 101;
                    if (isInterim && ++interim <= MAX_INTERIM) {
                        at = head.end(); // the final one follows (RFC 9110 15.2)
                        continue;
                    }
                    if (isInterim) {
                        String why = "more than " + MAX_INTERIM + " interim responses";
                        fail(connection, handshake.broken(why));
                    } else {
                        responded(connection);
                    }
                }
            }
            return outcome.isCompletedExceptionally() ? to : head.end();
        }
    }

    private void responded(Connection connection) {
        try {
            WebSocketConnection socket =
                    handshake.open(connection, head.status(), CheckedHeaders.of(head));
            outcome.complete(socket);
            if (context.draining()) {
                socket.drain();
            }
        } catch (IOException e) {
            fail(connection, e);
        }
    }

    // ---- failures

    private void fail(Connection connection, IOException why) {
        failed(why);
        connection.abort();
    }

    @Override
    public void failed(IOException why) {
        if (!outcome.isDone()) {
            handshake.failed(); // first: the failure is seen by other threads
            outcome.completeExceptionally(why);
        }
    }

    @Override
    public void ended(Connection connection) {
        fail(connection, new IOException(uri + " closed the connection before it responded"));
    }

    @Override
    public void expired(Connection connection) {
        fail(
                connection,
                new SocketTimeoutException(
                        uri + " did not respond within " + deadlineMillis + " ms"));
    }

    @Override
    public void closed(Connection connection, CloseCause cause) {
        failed(new IOException("the connection to " + uri + " was lost: " + cause));
    }
}
