// SPDX-License-Identifier: Apache-2.0
package examples;

import io.sirocco.http.Server;
import io.sirocco.live.Admission;
import io.sirocco.live.Arguments;
import io.sirocco.live.Attempt;
import io.sirocco.live.Client;
import io.sirocco.live.Live;
import io.sirocco.live.Message;
import io.sirocco.live.RequestException;
import io.sirocco.web.files.FileServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * A chat with rooms for the page in {@code examples/live-chat}, with presence, history and session
 * recovery.
 */
public final class LiveChat {
    private static final int LONGEST = 500;

    /** A message in a room. */
    record Said(String room, String name, String text, long time) {}

    /** Serves the page in this folder, and the chat. */
    public static Server start(int port, Path page) {
        Live live =
                Live.create(
                        c ->
                                c.authenticate(LiveChat::admit)
                                        .presence("room/*")
                                        .history("room/*", 100, Duration.ofDays(1))
                                        .recovery(Duration.ofMinutes(2)));
        live.onRequest("enter", String.class, (client, room) -> enter(live, client, room));
        live.onRequest("say", String.class, (client, text) -> say(live, client, text));
        FileServer files = FileServer.of(page);
        return Server.start(port, routes -> routes.mount("/socket.io", live).any("/*", files));
    }

    private static Admission admit(Attempt attempt) {
        String name = attempt.auth("name").orElse("").strip();
        return name.isEmpty() || name.length() > 20
                ? Admission.refused("a name must have 1 to 20 characters")
                : Admission.as(name);
    }

    private static List<Said> enter(Live live, Client client, String room) {
        if (!room.matches("room/[a-z]{1,20}")) {
            throw RequestException.refused("no_room", "unknown room");
        }
        client.rooms().stream().filter(other -> !other.equals(room)).forEach(client::leave);
        client.join(room);
        List<Message> before = live.room(room).history(50);
        return before.stream().map(one -> one.arguments().as(0, Said.class)).toList();
    }

    private static Arguments say(Live live, Client client, String text) {
        String room =
                client.rooms().stream()
                        .findFirst()
                        .orElseThrow(
                                () -> RequestException.refused("no_room", "join a room first"));
        if (text.isBlank() || text.length() > LONGEST) {
            throw RequestException.refused("bad_text", "a message must have 1 to 500 characters");
        }
        String name = client.user().orElseThrow();
        var said = new Said(room, name, text, System.currentTimeMillis());
        live.room(room)
                .send("said", said)
                .toCompletableFuture()
                .join(); // until the broker has accepted it
        return Arguments.none();
    }

    void main(String[] arguments) {
        int port = arguments.length == 0 ? 8080 : Integer.parseInt(arguments[0]);
        Server server = start(port, Path.of("examples/live-chat/page"));
        IO.println("http://127.0.0.1:" + server.port() + "/");
    }
}
