// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A client that speaks Engine.IO and Socket.IO packet by packet. Used by one thread. */
final class Peer implements AutoCloseable {
    static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final int SECONDS = 10;

    private final WebSocket socket;
    private final BlockingQueue<String> received;

    private Peer(WebSocket socket, BlockingQueue<String> received) {
        this.socket = socket;
        this.received = received;
    }

    private static final class Ears implements WebSocket.Listener {
        private final BlockingQueue<String> received;
        private final StringBuilder text = new StringBuilder();

        Ears(BlockingQueue<String> received) {
            this.received = received;
        }

        @Override
        public CompletionStage<?> onText(WebSocket socket, CharSequence part, boolean last) {
            text.append(part);
            if (last) {
                received.add(text.toString());
                text.setLength(0);
            }
            socket.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onBinary(WebSocket socket, ByteBuffer part, boolean last) {
            byte[] bytes = new byte[part.remaining()];
            part.get(bytes);
            received.add("binary " + HexFormat.of().formatHex(bytes));
            socket.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onPong(WebSocket socket, ByteBuffer payload) {
            received.add("pong");
            socket.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
            received.add(("closed " + code + " " + reason).strip());
            return null;
        }

        @Override
        public void onError(WebSocket socket, Throwable e) {
            received.add("lost");
        }
    }

    /** A WebSocket to {@code query}, whatever comes. */
    static Peer open(int port, String query) {
        return open(port, query, HTTP.newWebSocketBuilder());
    }

    static Peer open(int port, String query, WebSocket.Builder builder) {
        var received = new LinkedBlockingQueue<String>();
        var uri = URI.create("ws://127.0.0.1:" + port + "/socket.io/?EIO=4&" + query);
        try {
            return new Peer(builder.buildAsync(uri, new Ears(received)).join(), received);
        } catch (CompletionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    /** A session over a WebSocket. */
    static Peer session(int port) {
        Peer peer = open(port, "transport=websocket");
        String opening = peer.next();
        assertTrue(opening.startsWith("0{\"sid\":\""), opening);
        return peer;
    }

    /** A client in the namespace /. */
    static Peer client(int port) {
        return client(port, "");
    }

    /** One that authenticates itself. */
    static Peer client(int port, String auth) {
        Peer peer = session(port).send("40" + auth);
        String answer = peer.next();
        assertTrue(answer.startsWith("40{\"sid\":\""), answer);
        return peer;
    }

    Peer send(String text) {
        socket.sendText(text, true).join();
        return this;
    }

    Peer send(byte[] bytes) {
        socket.sendBinary(ByteBuffer.wrap(bytes), true).join();
        return this;
    }

    /** A fragment, behind which more comes. */
    Peer part(String text) {
        socket.sendText(text, false).join();
        return this;
    }

    Peer ping() {
        socket.sendPing(ByteBuffer.allocate(1)).join();
        return this;
    }

    /** What comes next. */
    String next() {
        try {
            String next = received.poll(SECONDS, TimeUnit.SECONDS);
            return next == null ? "nothing within " + SECONDS + " seconds" : next;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    Peer expects(String text) {
        assertEquals(text, next());
        return this;
    }

    /** Waits for the end; answers how. */
    String end() {
        String next = next();
        while (!next.startsWith("closed") && !next.equals("lost") && !next.startsWith("nothing")) {
            next = next();
        }
        return next;
    }

    /** Says nothing more, and breaks off. */
    void abort() {
        socket.abort();
    }

    @Override
    public void close() {
        socket.abort();
    }

    // ---- long polling

    static HttpResponse<String> get(int port, String query, String... headers) {
        return ask(request(port, query, headers).build());
    }

    static HttpResponse<String> post(int port, String query, String body) {
        return ask(
                request(port, query)
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .header("Content-Type", "text/plain;charset=UTF-8")
                        .build());
    }

    static HttpRequest.Builder request(int port, String query, String... headers) {
        var builder =
                HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + port + "/socket.io/?" + query));
        return headers.length == 0 ? builder : builder.headers(headers);
    }

    static HttpResponse<String> ask(HttpRequest request) {
        try {
            return HTTP.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Opens a session over long polling; answers the query of its further requests. */
    static String polling(int port) {
        return query(get(port, "EIO=4&transport=polling").body());
    }

    /** The query of a session's further requests, by what the first was answered. */
    static String query(String body) {
        assertTrue(body.startsWith("0{\"sid\":\""), body);
        return "EIO=4&transport=polling&sid=" + body.substring(9, body.indexOf('"', 9));
    }

    // ---- what packets say

    /** A field of an object in a packet, a text. */
    static String field(String packet, String name) {
        int from = packet.indexOf("\"" + name + "\":\"") + name.length() + 4;
        return packet.substring(from, packet.indexOf('"', from));
    }

    /** The offset of an event: its last argument. */
    static String offset(String event) {
        String[] parts = event.split("\"");
        return parts[parts.length - 2];
    }
}
