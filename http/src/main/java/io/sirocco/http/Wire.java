// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.net.Connection;
import io.sirocco.net.Loop;
import io.sirocco.net.OpenFile;
import io.sirocco.net.TlsSession;
import java.net.SocketAddress;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** The version of HTTP that carries an exchange. Loop-confined. */
interface Wire {
    /** The loop of the connection. Any thread. */
    Loop loop();

    /** The client of the connection: the peer, or whom the PROXY protocol names. */
    SocketAddress remote();

    /** The peer of the connection. */
    SocketAddress peer();

    /** The address that the connection was accepted on. Any thread. */
    SocketAddress local();

    /** What was agreed on with the client, where TLS is spoken. */
    Optional<TlsSession> tls();

    /** Whether the client can still be answered. */
    boolean connected();

    /** The handler wants the body. */
    void wantBody();

    /** Sends a response whole. */
    void send(Response response, byte[] body);

    /** Refuses a request that was good as HTTP: with this page, by this rule. */
    void refuse(Rule rule, Response page);

    /** Answers with 101 and these fields; what comes from then on is {@code next}'s. */
    void upgrade(Response head, Function<Connection, WebSocketConnection> next);

    /** Begins a response whose body follows; {@code length} is -1 when it is not known. */
    void begin(Response response, long length);

    /** Sends a copy of a piece of the body, which is not empty. */
    void data(byte[] bytes, int from, int to);

    /** Sends bytes of the body that must not change any more, without a copy where that pays. */
    void piece(byte[] bytes);

    /** What the exchange stores of the request has become more or less. */
    void stored();

    /** Sends a region of a file, which is released when that is done. */
    void file(OpenFile file, long from, long length);

    /** Ends the body. */
    void end();

    /** Ends the connection in the middle of a response: the client sees that it is not all. */
    void breakOff();

    /**
     * Completed when the client has taken so much that more may be sent; exceptionally when it is
     * gone.
     */
    CompletableFuture<Void> writable();
}
