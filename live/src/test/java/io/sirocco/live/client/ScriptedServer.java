// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.http.WebSocket;
import io.sirocco.http.WebSocketListener;
import io.sirocco.http.WebSockets;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A server that says what a test tells it to, message by message. Used by one thread. */
final class ScriptedServer implements AutoCloseable {
    static final String OPEN =
            "0{\"sid\":\"e\",\"upgrades\":[],\"pingInterval\":25000,\"pingTimeout\":20000}";
    static final String JOINED = "40{\"sid\":\"s\"}";
    private static final int PATIENCE = 20; // seconds

    private final LinkedBlockingQueue<WebSocket> opened = new LinkedBlockingQueue<>();
    final AtomicInteger connections = new AtomicInteger();
    private final Server server;
    private WebSocket socket; // of the last connection

    ScriptedServer() {
        this(0);
    }

    ScriptedServer(int port) {
        var listener =
                new WebSocketListener() {
                    @Override
                    public void onOpen(WebSocket socket) {
                        connections.incrementAndGet();
                        socket.attach(new LinkedBlockingQueue<String>());
                        opened.add(socket);
                    }

                    @Override
                    public void onText(WebSocket socket, String text) {
                        came(socket).add(text);
                    }

                    @Override
                    public void onBinary(WebSocket socket, byte[] bytes) {
                        came(socket).add(HexFormat.of().formatHex(bytes));
                    }

                    @Override
                    public void onClose(WebSocket socket, WebSocket.Closed closed) {
                        came(socket).add("closed " + closed.code());
                    }
                };
        WebSockets sockets = WebSockets.of(s -> s.maxMessageBytes(8 << 20));
        server =
                Server.start(
                        c -> c.listen(new InetSocketAddress("127.0.0.1", port)).loops(1),
                        routes ->
                                routes.get(
                                        "/socket.io/",
                                        request -> Response.webSocket(sockets, listener)));
    }

    @SuppressWarnings("unchecked")
    private static LinkedBlockingQueue<String> came(WebSocket socket) {
        return (LinkedBlockingQueue<String>) socket.attachment().orElseThrow();
    }

    int port() {
        return server.port();
    }

    String url() {
        return "http://127.0.0.1:" + port();
    }

    /** Waits for the next connection. */
    WebSocket accept() {
        try {
            socket = opened.poll(PATIENCE, TimeUnit.SECONDS);
            if (socket == null) {
                throw new AssertionError("nobody has connected");
            }
            return socket;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Waits for a client that joins, and lets it. */
    String join() {
        accept();
        say(OPEN);
        String connect = next();
        assertEquals("40", connect.substring(0, 2));
        say(JOINED);
        return connect;
    }

    void say(String... texts) {
        for (String text : texts) {
            socket.trySend(text);
        }
    }

    void say(byte[] bytes) {
        socket.trySend(bytes);
    }

    /**
     * What has come next over the last connection; bytes in hexadecimal; {@code closed} and a code
     * at the end.
     */
    String next() {
        try {
            return String.valueOf(came(socket).poll(PATIENCE, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        if (server.isRunning()) {
            server.stop(Duration.ZERO);
        }
    }
}
