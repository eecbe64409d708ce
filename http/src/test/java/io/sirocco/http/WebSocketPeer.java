// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.http.websocket.Agreement;
import io.sirocco.http.websocket.Frame;
import io.sirocco.http.websocket.MessageReader;
import io.sirocco.http.websocket.MessageReader.Event;
import io.sirocco.http.websocket.Offers;
import io.sirocco.http.websocket.Role;
import java.util.Arrays;
import java.util.HexFormat;

/** A client that speaks WebSocket frame by frame. Used by one thread. */
final class WebSocketPeer implements AutoCloseable {
    static final String KEY = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n";

    final Client client;
    private MessageReader reader;
    private String head;
    private int at;

    WebSocketPeer(Client client) {
        this.client = client;
    }

    /** One that is open. */
    static WebSocketPeer open(Serving serving, String path, String... fields) {
        var peer = new WebSocketPeer(serving.client());
        peer.client.send(request(path, fields));
        peer.opened();
        return peer;
    }

    static String request(String path, String... fields) {
        return "GET "
                + path
                + " HTTP/1.1\nHost: a\nUpgrade: websocket\nConnection: Upgrade\n"
                + KEY
                + "Sec-WebSocket-Version: 13\n"
                + String.join("", Arrays.stream(fields).map(f -> f + "\n").toList())
                + "\n";
    }

    /** Waits for the answer to the handshake. */
    void opened() {
        client.until("\r\n\r\n");
        String all = new String(client.received(), ISO_8859_1);
        at = all.indexOf("\r\n\r\n") + 4;
        head = all.substring(0, at);
        if (!head.startsWith("HTTP/1.1 101 ")) {
            throw new AssertionError("no upgrade: " + head);
        }
        Agreement agreement =
                head.lines()
                        .filter(line -> line.startsWith("Sec-WebSocket-Extensions: "))
                        .findFirst()
                        .flatMap(line -> Offers.accept(line.substring(26), true, true))
                        .orElse(null);
        reader = new MessageReader(Role.SERVER, agreement, 64 << 20, 64 << 20);
    }

    String head() {
        return head;
    }

    WebSocketPeer text(String text) {
        return frame(0x81, text.getBytes(UTF_8));
    }

    WebSocketPeer frame(int first, byte[] payload) {
        client.send(Frame.masked(first, payload, 0x12345678));
        return this;
    }

    WebSocketPeer close(int code) {
        return frame(0x88, Frame.closing(code, ""));
    }

    /** The next event, told as in {@code text hello}; {@code end} when the connection has ended. */
    String next() {
        while (true) {
            int known = client.count();
            at = reader.read(client.array(), at, known);
            if (reader.event() != Event.NONE) {
                return told();
            }
            client.await("a frame", () -> client.count() > known || client.hasEnded());
            if (client.count() == known) {
                return "end";
            }
        }
    }

    private String told() {
        return switch (reader.event()) {
            case TEXT -> "text " + reader.text();
            case BINARY -> "binary " + HexFormat.of().formatHex(reader.payload());
            case PING -> "ping " + new String(reader.payload(), UTF_8);
            case PONG -> "pong " + new String(reader.payload(), UTF_8);
            case CLOSE -> ("close " + reader.closeCode() + " " + reader.closeReason()).strip();
            case VIOLATION -> reader.violation().name();
            case NONE -> throw new AssertionError();
        };
    }

    @Override
    public void close() {
        client.close();
    }
}
