// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.net.TlsClient;
import io.sirocco.net.limit.Timeouts;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;

/**
 * The settings of a {@link WebSocketClient}. They are set in the lambda given to {@link
 * WebSocketClient#start}, and frozen when it returns. Each method returns these settings. Not
 * thread-safe.
 */
public final class WebSocketClientSettings {
    private static final Set<String> OURS = Set.of("host", "upgrade", "connection");

    WebSockets sockets = WebSockets.DEFAULT;
    Headers headers = Headers.none();
    Duration connect = Duration.ofSeconds(10);
    Duration write = Duration.ofSeconds(30);
    TlsClient tls; // null until it is needed: the system's

    WebSocketClientSettings() {}

    /**
     * Sets the limits, pings, subprotocols to request and compression to offer. Allowed origins
     * have no effect in a client. Default: those of {@link WebSocketSettings}.
     */
    public WebSocketClientSettings sockets(WebSockets sockets) {
        this.sockets = sockets;
        return this;
    }

    /**
     * Adds a header to each handshake request, such as {@code Authorization}, {@code Cookie} or
     * {@code Origin}.
     *
     * @throws IllegalArgumentException if the name or value is invalid, or if the handshake sets
     *     this header itself
     */
    public WebSocketClientSettings header(String name, String value) {
        refuseOurs(name);
        this.headers = headers.with(name, value);
        return this;
    }

    /**
     * Sets how long each of these may take for each address of a host: the connection, the TLS
     * handshake, and the server's response. Default: 10 s.
     *
     * @throws IllegalArgumentException if the timeout is less than 1 ms
     */
    public WebSocketClientSettings connectTimeout(Duration timeout) {
        this.connect = Timeouts.positive("connectTimeout", timeout);
        return this;
    }

    /**
     * Sets how long a server may read nothing of pending messages before it is disconnected.
     * Default: 30 s.
     *
     * @throws IllegalArgumentException if the timeout is less than 1 ms
     */
    public WebSocketClientSettings writeTimeout(Duration timeout) {
        this.write = Timeouts.positive("writeTimeout", timeout);
        return this;
    }

    /**
     * Sets the trusted certificates and other TLS settings. Default: the certificates that the JVM
     * trusts.
     */
    public WebSocketClientSettings tls(TlsClient tls) {
        this.tls = tls;
        return this;
    }

    /** Rejects headers that the handshake sets itself. */
    static void refuseOurs(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        if (OURS.contains(lower) || lower.startsWith("sec-websocket-")) {
            throw new IllegalArgumentException(
                    name + " is set by the handshake (RFC 6455 4.1) and cannot be changed.");
        }
    }
}
