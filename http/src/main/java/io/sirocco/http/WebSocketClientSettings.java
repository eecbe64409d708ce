// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.net.TlsClient;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;

/**
 * How a {@link WebSocketClient} opens sockets: set in the lambda that it is made with, frozen when
 * that returns. Used by one thread.
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
     * How they are spoken: limits, pings, sub-protocols to ask for, compression to offer. What it
     * says of origins is for servers.
     */
    public WebSocketClientSettings sockets(WebSockets sockets) {
        this.sockets = sockets;
        return this;
    }

    /**
     * A field of each request: {@code Authorization}, {@code Cookie}, {@code Origin}.
     *
     * @throws IllegalArgumentException when it is no field, or one of the handshake itself
     */
    public WebSocketClientSettings header(String name, String value) {
        refuseOurs(name);
        this.headers = headers.with(name, value);
        return this;
    }

    /** How long it may take until a socket is open, for each address of a host; 10 s unless set. */
    public WebSocketClientSettings connectTimeout(Duration longest) {
        this.connect = positive("connectTimeout", longest);
        return this;
    }

    /** How long a server may take nothing of what it is sent; 30 s unless set. */
    public WebSocketClientSettings writeTimeout(Duration longest) {
        this.write = positive("writeTimeout", longest);
        return this;
    }

    /** Whom it trusts; whom the JVM trusts unless set. */
    public WebSocketClientSettings tls(TlsClient tls) {
        this.tls = tls;
        return this;
    }

    /** What the handshake says itself, it says once. */
    static void refuseOurs(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        if (OURS.contains(lower) || lower.startsWith("sec-websocket-")) {
            throw new IllegalArgumentException(
                    name + " is set by the handshake (RFC 6455 4.1) and cannot be changed.");
        }
    }

    private static Duration positive(String name, Duration value) {
        if (value.toMillis() < 1) {
            throw new IllegalArgumentException(name + " must be 1 ms or more, not " + value + ".");
        }
        return value;
    }
}
