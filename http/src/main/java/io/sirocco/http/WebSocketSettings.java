// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.http.message.Grammar;
import io.sirocco.http.websocket.WebSocketTerms;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * How WebSockets are spoken: set in the lambda given to {@link WebSockets#of}, frozen when it
 * returns. All limits are finite. Used by one thread.
 */
public final class WebSocketSettings {
    int maxMessageBytes = 1 << 20;
    int maxFrameBytes = Integer.MAX_VALUE;
    int maxPendingBytes = 1 << 20;
    Duration ping = Duration.ofSeconds(30);
    Duration pong = Duration.ofSeconds(20);
    Duration close = Duration.ofSeconds(5);
    List<String> subprotocols = List.of();
    Optional<List<String>> origins = Optional.of(List.of());
    boolean compression;
    int compressFrom = 1 << 10;
    boolean serverContext;
    boolean clientContext;
    long contextMemory = 64 << 20;

    WebSocketSettings() {}

    /**
     * Bytes of one message that comes in, when it is inflated; a larger one closes the socket with
     * 1009. 1 MiB unless set.
     */
    public WebSocketSettings maxMessageBytes(int bytes) {
        this.maxMessageBytes = atLeast("maxMessageBytes", bytes, 1);
        return this;
    }

    /** The same of one frame; as {@link #maxMessageBytes} unless set. */
    public WebSocketSettings maxFrameBytes(int bytes) {
        this.maxFrameBytes = atLeast("maxFrameBytes", bytes, 1);
        return this;
    }

    /**
     * Bytes that may be pending: a message is taken as long as there are fewer, so there can be one
     * message more. 1 MiB unless set.
     */
    public WebSocketSettings maxPendingBytes(int bytes) {
        this.maxPendingBytes = atLeast("maxPendingBytes", bytes, 1);
        return this;
    }

    /**
     * A peer of which nothing was heard for {@code interval} is sent a ping, and given up when
     * nothing has come {@code deadline} later. 30 s and 20 s unless set; an interval of zero is for
     * never.
     */
    public WebSocketSettings ping(Duration interval, Duration deadline) {
        this.ping = notNegative("ping", interval);
        this.pong = notNegative("ping", deadline);
        return this;
    }

    /**
     * How long the peer may take to answer our good-bye, once it takes nothing more of what was
     * sent before; 5 s unless set.
     */
    public WebSocketSettings closeTimeout(Duration longest) {
        this.close = notNegative("closeTimeout", longest);
        return this;
    }

    /**
     * Sub-protocols that we speak: the first of the client's that is among them is agreed on. None
     * unless set.
     */
    public WebSocketSettings subprotocols(String... names) {
        for (String name : names) {
            if (!Grammar.isToken(name)) {
                throw new IllegalArgumentException(
                        "A subprotocol must be a token (RFC 6455 4.1), not '" + name + "'.");
            }
        }
        this.subprotocols = List.of(names);
        return this;
    }

    /**
     * Pages that may open one, beside those of our own host and clients that are no browser: such
     * as {@code https://app.example.org}. None unless set.
     */
    public WebSocketSettings origins(String... origins) {
        for (String origin : origins) {
            if (!isOrigin(origin)) {
                throw new IllegalArgumentException(
                        "An origin must be a scheme and a host, as in https://app.example.org, not '"
                                + origin
                                + "'.");
            }
        }
        this.origins =
                Optional.of(
                        List.of(origins).stream().map(o -> o.toLowerCase(Locale.ROOT)).toList());
        return this;
    }

    private static boolean isOrigin(String origin) {
        try {
            URI uri = URI.create(origin);
            return uri.getScheme() != null
                    && uri.getHost() != null
                    && uri.getUserInfo() == null
                    && uri.getRawPath().isEmpty()
                    && uri.getRawQuery() == null
                    && uri.getRawFragment() == null;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /**
     * Any page may open one. Mind that browsers send their cookies along, whosever page it is: this
     * is for sockets that do not go by cookies.
     */
    public WebSocketSettings anyOrigin() {
        this.origins = Optional.empty();
        return this;
    }

    /**
     * Agrees on permessage-deflate (RFC 7692) with clients that offer it, and compresses messages
     * of {@code fromBytes} and more. Unless {@link #contextTakeover} says otherwise each message is
     * compressed by itself, which costs no memory between two of them. Without it unless set.
     */
    public WebSocketSettings compression(int fromBytes) {
        this.compression = true;
        this.compressFrom = atLeast("compression", fromBytes, 0);
        return this;
    }

    /**
     * Which side may refer to messages before when it compresses: better compression for similar
     * messages, for some native memory while the socket is open: 272 KiB for the server's side, 48
     * KiB for the client's. Neither unless set.
     *
     * @param memory bytes for all sockets of these settings; those that come when it is used up go
     *     without. 64 MiB is a beginning.
     */
    public WebSocketSettings contextTakeover(boolean server, boolean client, long memory) {
        this.serverContext = server;
        this.clientContext = client;
        this.contextMemory = memory;
        return this;
    }

    private static int atLeast(String name, int value, int least) {
        if (value < least) {
            throw new IllegalArgumentException(
                    name + " must be " + least + " or more, not " + value + ".");
        }
        return value;
    }

    private static Duration notNegative(String name, Duration value) {
        if (value.isNegative()) {
            throw new IllegalArgumentException(name + " must not be negative, not " + value + ".");
        }
        return value;
    }

    /** What was set, for good. */
    WebSocketTerms terms() {
        return new WebSocketTerms(
                maxMessageBytes,
                Math.min(maxFrameBytes, maxMessageBytes),
                maxPendingBytes,
                ping.toMillis(),
                pong.toMillis(),
                close.toMillis(),
                subprotocols,
                origins,
                compression,
                compressFrom,
                serverContext,
                clientContext,
                contextMemory);
    }
}
