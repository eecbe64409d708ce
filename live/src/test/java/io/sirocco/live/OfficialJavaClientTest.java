// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.socket.client.Ack;
import io.socket.client.IO;
import io.socket.client.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.json.JSONObject;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The official client of Java, over each transport. */
class OfficialJavaClientTest {

    private static Socket client(int port, String transport, String password) {
        IO.Options options =
                IO.Options.builder()
                        .setForceNew(true)
                        .setTransports(transport.split(","))
                        .setReconnectionDelay(20)
                        .setAuth(Map.of("password", password))
                        .build();
        return IO.socket(URI.create("http://127.0.0.1:" + port), options);
    }

    private static CompletableFuture<Object> once(Socket socket, String event) {
        var come = new CompletableFuture<Object>();
        socket.once(event, all -> come.complete(all.length == 0 ? "" : all[0]));
        return come;
    }

    private static <T> T within(CompletableFuture<T> future) throws Exception {
        return future.get(10, TimeUnit.SECONDS);
    }

    /** Between two polls there is nothing to be cut. */
    private static void cutUntil(CompletableFuture<?> done, Cable cable) throws Exception {
        for (int i = 0; i < 20 && !done.isDone(); i++) {
            cable.cut();
            CompletableFuture.anyOf(
                            done,
                            new CompletableFuture<>().completeOnTimeout("", 1, TimeUnit.SECONDS))
                    .get();
        }
        within(done);
    }

    private static Object ask(Socket socket, String event, Object argument) throws Exception {
        var answer = new CompletableFuture<Object>();
        socket.emit(event, new Object[] {argument}, (Ack) all -> answer.complete(all[0]));
        return within(answer);
    }

    @ParameterizedTest
    @ValueSource(strings = {"websocket", "polling", "polling,websocket"})
    void isServed(String transport) throws Exception {
        try (var service = new Service(c -> c.password("secret").recovery(Duration.ofMinutes(2)));
                var cable = new Cable(service.port)) {
            Live live = service.live;
            live.onConnect(client -> client.send("motd", "welcome"));
            live.onRequest("whoami", (client, a) -> client.id());
            live.onRequest("echo", (client, a) -> a.as(0, Object.class));
            live.on("join", String.class, Client::join);
            live.on("cut", (client, a) -> service.live.room("r").send("bye"));
            Socket stranger = client(cable.port(), transport, "wrong");
            var refused = once(stranger, Socket.EVENT_CONNECT_ERROR);
            stranger.connect();
            var why = (JSONObject) within(refused);
            assertEquals("unauthorized", why.getJSONObject("data").getString("code"));
            stranger.close();
            Socket socket = client(cable.port(), transport, "secret");
            var motd = once(socket, "motd");
            socket.connect();
            assertEquals("welcome", within(motd));
            assertEquals(socket.id(), ask(socket, "whoami", ""));
            byte[] bytes = (byte[]) ask(socket, "echo", new byte[] {1, 2, (byte) 250});
            assertEquals(250, bytes[2] & 0xff);
            var object = new JSONObject().put("name", "é").put("data", new byte[] {7});
            var echo = (JSONObject) ask(socket, "echo", object);
            assertEquals("é", echo.getString("name"));
            assertEquals(7, ((byte[]) echo.get("data"))[0]);
            socket.emit("join", "r");
            var bye = once(socket, "bye");
            socket.emit("cut");
            within(bye);
            var again = once(socket, Socket.EVENT_CONNECT);
            cutUntil(again, cable);
            assertEquals(socket.id(), ask(socket, "whoami", ""));
            var end = once(socket, Socket.EVENT_DISCONNECT);
            live.client(socket.id()).orElseThrow().close();
            assertEquals("io server disconnect", within(end));
            socket.close();
        }
    }
}
