// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The official client of JavaScript, in Node, over each transport. */
class OfficialJavaScriptClientTest {

    static Service service() {
        var service = new Service(c -> c.password("secret").recovery(Duration.ofMinutes(2)));
        Live live = service.live;
        live.onConnect(client -> client.send("motd", "welcome"));
        live.onRequest("whoami", (client, a) -> client.id());
        live.onRequest("echo", (client, a) -> a.as(0, Object.class));
        live.onRequest(
                "ask me",
                (client, a) ->
                        client.request("favourite", Duration.ofSeconds(5), String.class, "colour"));
        live.on("count", (client, a) -> client.send("counted", a.integer(0)));
        live.on("join", String.class, Client::join);
        live.on("toast", (client, a) -> client.room("kitchen").send("smell", "burnt toast"));
        live.on("broadcast", String.class, (client, text) -> live.broadcast("news", text));
        live.on("tell me", (client, a) -> client.send("missed", a.integer(0)));
        live.on(
                "tell me later",
                (client, a) ->
                        Thread.startVirtualThread(
                                () -> {
                                    while (client.isConnected()) {
                                        Thread.onSpinWait();
                                    }
                                    for (int n = 1; n <= 3; n++) {
                                        client.send("missed", n);
                                    }
                                }));
        live.on("kick me", (client, a) -> client.close());
        live.namespace("/admin").onRequest("whoami", (client, a) -> client.id());
        return service;
    }

    @ParameterizedTest
    @ValueSource(strings = {"websocket", "polling", "upgrade"})
    void isServed(String transport) {
        var npm = new Npm("socket.io-client");
        try (var service = service()) {
            var expected =
                    new ArrayList<>(
                            List.of(
                                    "refused the password is wrong, or missing"
                                            + " {\"code\":\"unauthorized\"}",
                                    "connected true",
                                    "motd welcome",
                                    "whoami true",
                                    "unknown {\"error\":{\"code\":\"unknown_event\","
                                            + "\"message\":\"nobody answers what\"}}",
                                    "asked colour: blue",
                                    "bytes true 0102fa",
                                    "nested é a 07",
                                    "long true",
                                    "in order true",
                                    "room burnt toast",
                                    "broadcast hello,hello",
                                    "admin true true",
                                    "recovered true true 1,2,3",
                                    "kicked io server disconnect"));
            if (transport.equals("upgrade")) {
                expected.add(3, "upgraded websocket");
            }
            List<String> facts = npm.run("client.js", Integer.toString(service.port), transport);
            assertEquals(String.join("\n", expected), String.join("\n", facts));
        }
    }
}
