// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.http.Routes;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * A service that official clients are acquainted with, behind a cable that can be unplugged; and
 * what each of them has to say of it, whatever its language. Any thread.
 */
final class Acquaintance implements AutoCloseable {
    private static final Duration LONG = Duration.ofSeconds(10);

    final Service service;
    private final Cable cable;

    Acquaintance() {
        this(routes -> {});
    }

    Acquaintance(Consumer<Routes> beside) {
        service = new Service(c -> c.password("secret").recovery(Duration.ofMinutes(2)), beside);
        cable = new Cable(service.port);
        Live live = service.live;
        live.onConnect(client -> client.send("motd", "welcome"));
        live.onRequest("whoami", (client, a) -> client.id());
        live.onRequest("transport", (client, a) -> client.info().transport());
        live.onRequest("echo", (client, a) -> a.as(0, Object.class));
        live.onRequest("ask me", (client, a) -> client.request("colour", LONG, String.class, "?"));
        live.onRequest(
                "ask me for bytes",
                (client, a) -> client.request("mirror", LONG, byte[].class, a.asBytes(0)));
        live.on("count", (client, a) -> client.send("counted", a.asInt(0)));
        live.on("join", String.class, Client::join);
        live.on("leave", String.class, Client::leave);
        live.on("toast", String.class, (c, text) -> c.room("kitchen").send("smell", text));
        live.on("cook", String.class, (c, text) -> live.room("kitchen").send("smell", text));
        live.on("broadcast", String.class, (c, text) -> live.broadcast("news", text));
        live.on("tell me", (client, a) -> client.send("missed", a.asInt(0)));
        live.on("cut me", (client, a) -> cut(client));
        live.on("kick me", (client, a) -> client.close());
        live.namespace("/admin").onRequest("whoami", (client, a) -> client.id());
    }

    private void cut(Client client) {
        cable.unplug();
        for (int n = 1; n <= 3; n++) {
            client.send("missed", n);
        }
        cable.plugWhenNoticed();
    }

    int port() {
        return cable.port();
    }

    /** Line by line. */
    static String expected() {
        return String.join(
                "\n",
                List.of(
                        "refused the password is wrong, unauthorized",
                        "motd welcome",
                        "whoami true",
                        "unknown unknown_event",
                        "asked blue",
                        "bytes 0102fa",
                        "asked for bytes fa0201",
                        "nested é 61 07",
                        "long true",
                        "in order true",
                        "room burnt toast",
                        "left the room soup",
                        "broadcast hello hello",
                        "admin true true",
                        "recovered true 1 2 3",
                        "room again bread",
                        "kicked",
                        "reconnected true true"));
    }

    @Override
    public void close() throws IOException {
        cable.close();
        service.close();
    }
}
