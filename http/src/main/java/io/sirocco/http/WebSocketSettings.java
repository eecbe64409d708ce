// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.http.message.Grammar;
import io.sirocco.http.websocket.WebSocketTerms;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The settings of WebSockets: limits, pings, subprotocols, origins, compression. They are set in
 * the lambda given to {@link WebSockets#of}, and frozen when it returns. All limits have finite
 * defaults. Each method returns these settings. Not thread-safe.
 */
public final class WebSocketSettings {
    int maxMessageBytes = 1 << 20;
    int maxFrameBytes = Integer.MAX_VALUE;
    int maxPendingBytes = 1 << 20;
    Duration ping = Duration.ofSeconds(30);
    Duration pong = Duration.ofSeconds(20);
    Duration close = Duration.ofSeconds(5);
    List<String> subprotocols = List.of();
    Optional<Origins> origins = Optional.of(Origins.NONE);
    boolean compression;
    int compressFrom = 1 << 10;
    boolean serverContext;
    boolean clientContext;
    long contextMemory = 64 << 20;
    boolean blockingListener;

    WebSocketSettings() {}

    /**
     * Sets the maximum size of a received message, after decompression; a larger one closes the
     * socket with 1009. Default: 1 MiB.
     *
     * @throws IllegalArgumentException if {@code bytes} is less than 1
     */
    public WebSocketSettings maxMessageBytes(int bytes) {
        this.maxMessageBytes = atLeast("maxMessageBytes", bytes, 1);
        return this;
    }

    /**
     * Sets the maximum size of a received frame; a larger one closes the socket with 1009. Default:
     * {@link #maxMessageBytes}.
     *
     * @throws IllegalArgumentException if {@code bytes} is less than 1
     */
    public WebSocketSettings maxFrameBytes(int bytes) {
        this.maxFrameBytes = atLeast("maxFrameBytes", bytes, 1);
        return this;
    }

    /**
     * Sets the size of the output buffer. A message is accepted while fewer bytes are pending, so
     * the buffer can exceed this size by one message. Default: 1 MiB.
     *
     * @throws IllegalArgumentException if {@code bytes} is less than 1
     */
    public WebSocketSettings maxPendingBytes(int bytes) {
        this.maxPendingBytes = atLeast("maxPendingBytes", bytes, 1);
        return this;
    }

    /**
     * Sets when to ping a silent peer. After {@code interval} without any received data a ping is
     * sent; after another {@code timeout} without any the connection is closed, with code 1006. An
     * interval of zero disables pings. Default: 30 s and 20 s.
     *
     * @throws IllegalArgumentException if a duration is negative
     */
    public WebSocketSettings ping(Duration interval, Duration timeout) {
        this.ping = Given.timeout("The interval of ping", interval);
        this.pong = Given.timeout("The timeout of ping", timeout);
        return this;
    }

    /**
     * Sets how long to wait for the peer's close frame. The time does not run while the peer still
     * reads pending messages. Default: 5 s.
     *
     * @throws IllegalArgumentException if the timeout is negative
     */
    public WebSocketSettings closeTimeout(Duration timeout) {
        this.close = Given.timeout("closeTimeout", timeout);
        return this;
    }

    /**
     * Sets the supported subprotocols. A server selects the first one of the client's list that it
     * supports; a client requests all of them. Default: none.
     *
     * @throws IllegalArgumentException if a name is not a token (RFC 6455 4.1)
     */
    public WebSocketSettings subprotocols(String... names) {
        for (String name : Given.of("subprotocols", names)) {
            if (!Grammar.isToken(name)) {
                throw new IllegalArgumentException(
                        "A subprotocol must be a token (RFC 6455 4.1), not '" + name + "'.");
            }
        }
        this.subprotocols = List.of(names);
        return this;
    }

    /**
     * Sets the origins whose pages may open a socket, such as {@code https://app.example.org}, in
     * addition to pages of the same host and to clients that send no {@code Origin}, which are not
     * browsers. Others get 403 (RFC 6455 10.2). Default: none.
     *
     * @throws IllegalArgumentException as {@link Origins#of}
     */
    public WebSocketSettings origins(String... origins) {
        this.origins = Optional.of(Origins.of(List.of(Given.of("origins", origins))));
        return this;
    }

    /**
     * Lets pages of all origins open a socket. Browsers send cookies with requests from any page,
     * so use this only if cookies do not authenticate the client.
     */
    public WebSocketSettings anyOrigin() {
        this.origins = Optional.empty();
        return this;
    }

    /**
     * Enables compression (permessage-deflate, RFC 7692) with peers that support it, for messages
     * of {@code fromBytes} and more. Without {@link #contextTakeover} each message is compressed by
     * itself, and no memory is needed between messages. Default: off.
     *
     * @throws IllegalArgumentException if {@code fromBytes} is negative
     */
    public WebSocketSettings compression(int fromBytes) {
        this.compression = true;
        this.compressFrom = atLeast("compression", fromBytes, 0);
        return this;
    }

    /**
     * Sets which side may refer to earlier messages when it compresses. This improves the
     * compression of many small, similar messages, and takes native memory while the socket is
     * open: 272 KiB for the server's side, 48 KiB for the client's. Default: neither.
     *
     * @param server whether messages of the server are compressed with context takeover
     * @param client whether messages of the client are compressed with context takeover
     * @param memory the maximum native memory in bytes for all sockets of these settings, for
     *     example 64 MiB; further sockets compress without context takeover
     */
    public WebSocketSettings contextTakeover(boolean server, boolean client, long memory) {
        this.serverContext = server;
        this.clientContext = client;
        this.contextMemory = Given.rate("The memory of contextTakeover", memory);
        return this;
    }

    /**
     * Lets the methods of a {@link WebSocketListener} block: they are called on virtual threads, as
     * handlers of {@link ExecutionMode#VIRTUAL} routes are, in order and one at a time for each
     * socket. A socket has a thread only while calls are in progress. While 64 KiB wait for its
     * listener, the server does not read from the peer. {@link WebSocketListener#onClose} is called
     * after all that was received before. Default: off.
     */
    public WebSocketSettings blockingListener() {
        this.blockingListener = true;
        return this;
    }

    private static int atLeast(String name, int value, int least) {
        if (value < least) {
            throw new IllegalArgumentException(
                    name + " must be " + least + " or more, not " + value + ".");
        }
        return value;
    }

    /** Returns the settings as they are now. */
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
                contextMemory,
                blockingListener);
    }
}
