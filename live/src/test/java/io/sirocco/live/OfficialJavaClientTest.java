// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.socket.client.Ack;
import io.socket.client.IO;
import io.socket.client.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.json.JSONArray;
import org.json.JSONObject;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The official client of Java, over each transport. */
class OfficialJavaClientTest {
    private static final int SECONDS = 30;

    private final List<String> facts = new ArrayList<>();
    private final List<Socket> open = new ArrayList<>();
    private URI server;
    private String transport;

    private IO.Options options(Map<String, String> auth) {
        return IO.Options.builder()
                .setForceNew(true)
                .setTransports(transport.split(","))
                .setReconnectionDelay(20)
                .setReconnectionDelayMax(50)
                .setAuth(auth)
                .build();
    }

    private Socket socket(Map<String, String> auth) {
        Socket socket = Recovering.socket(server, options(auth));
        open.add(socket);
        return socket;
    }

    private Socket connected(Map<String, String> auth) throws Exception {
        Socket socket = socket(auth);
        var connect = once(socket, Socket.EVENT_CONNECT);
        socket.connect();
        within(connect);
        return socket;
    }

    private static CompletableFuture<Object> once(Socket socket, String event) {
        var come = new CompletableFuture<Object>();
        socket.once(event, all -> come.complete(all.length == 0 ? "" : all[0]));
        return come;
    }

    private static <T> T within(CompletableFuture<T> future) throws Exception {
        return future.get(SECONDS, TimeUnit.SECONDS);
    }

    /** The answer to an event; null where it has no arguments. */
    private static Object ask(Socket socket, String event, Object... arguments) throws Exception {
        var answer = new CompletableFuture<Object>();
        socket.emit(event, arguments, (Ack) all -> answer.complete(all.length == 0 ? "" : all[0]));
        return within(answer);
    }

    /** A connection that breaks while it is being upgraded is missed only by its pings. */
    private void upgraded(Socket socket) throws Exception {
        String last = transport.substring(transport.indexOf(',') + 1);
        for (int i = 0; i < 10_000 && !last.equals(ask(socket, "transport")); i++) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    private static String hex(Object bytes) {
        return HexFormat.of().formatHex((byte[]) bytes);
    }

    private void tell(Object... parts) {
        facts.add(String.join(" ", List.of(parts).stream().map(Object::toString).toList()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"websocket", "polling", "polling,websocket"})
    void isServed(String transport) throws Exception {
        this.transport = transport;
        try (var here = new Acquaintance()) {
            server = URI.create("http://127.0.0.1:" + here.port());
            try {
                comesIn();
                Socket socket = connected(Map.of("password", "secret"));
                asks(socket);
                counts(socket);
                isInRooms(socket);
                recovers(socket);
                reconnects();
            } finally {
                open.forEach(Socket::close);
            }
        }
        assertEquals(Acquaintance.expected(), String.join("\n", facts));
    }

    private void comesIn() throws Exception {
        Socket stranger = socket(Map.of("password", "wrong"));
        var refused = once(stranger, Socket.EVENT_CONNECT_ERROR);
        stranger.connect();
        var why = (JSONObject) within(refused);
        String code = why.getJSONObject("data").getString("code");
        tell("refused", why.getString("message") + ",", code);
        stranger.close();
        Socket socket = socket(Map.of("password", "secret"));
        var motd = once(socket, "motd");
        socket.connect();
        tell("motd", within(motd));
        socket.close();
    }

    private void asks(Socket socket) throws Exception {
        tell("whoami", socket.id().equals(ask(socket, "whoami")));
        var unknown = (JSONObject) ask(socket, "what");
        tell("unknown", unknown.getJSONObject("error").getString("code"));
        socket.on("colour", all -> ((Ack) all[all.length - 1]).call("blue"));
        tell("asked", ask(socket, "ask me"));
        byte[] bytes = {1, 2, (byte) 250};
        tell("bytes", hex(ask(socket, "echo", bytes)));
        socket.on("mirror", all -> ((Ack) all[1]).call(reversed((byte[]) all[0])));
        tell("asked for bytes", hex(ask(socket, "ask me for bytes", bytes)));
        var data = new JSONArray().put(new byte[] {97}).put(new byte[] {7});
        var object = new JSONObject().put("name", "é").put("data", data);
        var nested = (JSONObject) ask(socket, "echo", object);
        JSONArray back = nested.getJSONArray("data");
        tell("nested", nested.getString("name"), hex(back.get(0)), hex(back.get(1)));
        String text = "x".repeat(200_000);
        tell("long", text.equals(ask(socket, "echo", text)));
    }

    private static byte[] reversed(byte[] bytes) {
        byte[] reversed = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            reversed[i] = bytes[bytes.length - 1 - i];
        }
        return reversed;
    }

    private void counts(Socket socket) throws Exception {
        var counted = new LinkedBlockingQueue<Object>();
        socket.on("counted", all -> counted.add(all[0]));
        boolean inOrder = true;
        for (int n = 0; n < 1_000; n++) {
            socket.emit("count", n);
        }
        for (int n = 0; n < 1_000; n++) {
            inOrder &= Integer.valueOf(n).equals(counted.poll(SECONDS, TimeUnit.SECONDS));
        }
        tell("in order", inOrder);
    }

    private void isInRooms(Socket socket) throws Exception {
        Socket other = connected(Map.of("password", "secret"));
        ask(socket, "join", "kitchen");
        ask(other, "join", "kitchen");
        var smells = new LinkedBlockingQueue<Object>();
        other.on("smell", all -> smells.add(all[0]));
        var smell = once(socket, "smell");
        ask(other, "toast", "burnt toast");
        tell("room", within(smell));
        ask(socket, "cook", "soup");
        Object soup = smells.poll(SECONDS, TimeUnit.SECONDS);
        ask(other, "leave", "kitchen");
        ask(socket, "cook", "fish");
        ask(other, "whoami");
        tell("left the room", smells.isEmpty() ? soup : smells);
        var news = once(socket, "news");
        var same = once(other, "news");
        socket.emit("broadcast", "hello");
        tell("broadcast", within(news), within(same));
        other.close();
        Socket admin = socket.io().socket("/admin", options(Map.of("password", "secret")));
        var joined = once(admin, Socket.EVENT_CONNECT);
        admin.connect();
        within(joined);
        boolean known = admin.id().equals(ask(admin, "whoami"));
        tell("admin", known, !admin.id().equals(socket.id()));
        admin.close();
    }

    private void recovers(Socket socket) throws Exception {
        String id = socket.id();
        var missed = new LinkedBlockingQueue<Object>();
        socket.on("missed", all -> missed.add(all[0]));
        socket.emit("tell me", 0);
        missed.poll(SECONDS, TimeUnit.SECONDS);
        var back = once(socket, Socket.EVENT_CONNECT);
        upgraded(socket);
        socket.emit("cut me");
        within(back);
        var three = new ArrayList<Object>();
        for (int n = 0; n < 3; n++) {
            three.add(missed.poll(SECONDS, TimeUnit.SECONDS));
        }
        tell("recovered", socket.id().equals(id), three.get(0), three.get(1), three.get(2));
        var smell = once(socket, "smell");
        socket.emit("cook", "bread");
        tell("room again", within(smell));
        var end = once(socket, Socket.EVENT_DISCONNECT);
        socket.emit("kick me");
        tell(within(end).equals("io server disconnect") ? "kicked" : "lost");
    }

    private void reconnects() throws Exception {
        Socket plain = connected(Map.of("password", "secret", "offsets", "false"));
        String id = plain.id();
        var back = once(plain, Socket.EVENT_CONNECT);
        upgraded(plain);
        plain.emit("cut me");
        within(back);
        boolean known = plain.id().equals(ask(plain, "whoami"));
        tell("reconnected", !plain.id().equals(id), known);
    }
}
