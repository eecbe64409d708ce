// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A client of Socket.IO that speaks its packets by hand, over a WebSocket. Used by one thread. */
public final class Talker implements AutoCloseable {
    private static final int SECONDS = 20;

    private final HttpClient http = HttpClient.newHttpClient();
    private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    private final WebSocket socket;

    /** Opens a session, and sends this CONNECT. */
    public Talker(int port, String auth) throws Exception {
        URI uri = URI.create("ws://127.0.0.1:" + port + "/socket.io/?EIO=4&transport=websocket");
        socket =
                http.newWebSocketBuilder()
                        .buildAsync(uri, new Listener())
                        .get(SECONDS, TimeUnit.SECONDS);
        assertTrue(next().startsWith("0{"));
        send("40" + auth);
    }

    /** One that is let in. */
    public static Talker in(int port, String auth) throws Exception {
        var talker = new Talker(port, auth);
        String answer = talker.next();
        assertTrue(answer.startsWith("40{\"sid\":"), answer);
        return talker;
    }

    private final class Listener implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence piece, boolean last) {
            text.append(piece);
            if (last) {
                heard.add(text.toString());
                text.setLength(0);
            }
            from.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onBinary(WebSocket from, ByteBuffer bytes, boolean last) {
            heard.add("bytes " + UTF_8.decode(bytes));
            from.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onClose(WebSocket from, int code, String reason) {
            heard.add("closed");
            return null;
        }
    }

    public Talker send(String packet) throws Exception {
        socket.sendText(packet, true).get(SECONDS, TimeUnit.SECONDS);
        return this;
    }

    public Talker send(byte[] bytes) throws Exception {
        socket.sendBinary(ByteBuffer.wrap(bytes), true).get(SECONDS, TimeUnit.SECONDS);
        return this;
    }

    /** The next packet, or what has happened. */
    public String next() throws InterruptedException {
        String next = heard.poll(SECONDS, TimeUnit.SECONDS);
        return next == null ? "nothing within " + SECONDS + " seconds" : next;
    }

    /** What an event is answered with. */
    public String ask(String event) throws Exception {
        return send("427" + event).next();
    }

    /** Joins a room. */
    public Talker join(String room) throws Exception {
        assertEquals("437[]", ask("[\"join\",\"" + room + "\"]"));
        return this;
    }

    @Override
    public void close() {
        socket.abort();
        http.shutdownNow();
    }
}
