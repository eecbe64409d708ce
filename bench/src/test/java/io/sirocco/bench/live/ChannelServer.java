// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.live.Arguments;
import io.sirocco.live.Client;
import io.sirocco.live.Live;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Consumer;

/** A ready channel server as bench/peers/README.md has it, with {@code live}. Any thread. */
public final class ChannelServer implements AutoCloseable {
    public static final String PASSWORD = "a \"secret\" \\ of two words";

    public final Live live;
    private final Server server;

    public ChannelServer() {
        this(live -> {});
    }

    ChannelServer(Consumer<io.sirocco.live.LiveSettings> configure) {
        live =
                Live.create(
                        c -> {
                            c.password(PASSWORD)
                                    .tickets(Duration.ofSeconds(30))
                                    .anyConnects()
                                    .anyMessages();
                            configure.accept(c);
                        });
        live.onRequest("echo", (client, arguments) -> arguments);
        live.on("join", (client, room) -> client.join(room.asString(0)));
        live.on("leave", (client, room) -> client.leave(room.asString(0)));
        live.on("publish", ChannelServer::publish);
        server =
                Server.start(
                        c -> c.listen(new InetSocketAddress("127.0.0.1", 0)).loops(1),
                        routes -> {
                            routes.mount("/socket.io", live);
                            routes.post("/ticket", request -> ticket(request.body().text()));
                        });
    }

    private static void publish(Client client, Arguments arguments) {
        client.room(arguments.asString(0))
                .send(arguments.asString(1), arguments.values(2))
                .toCompletableFuture()
                .join();
    }

    private Response ticket(String body) {
        return body.equals("{\"password\":" + Handshake.quoted(PASSWORD) + "}")
                ? Response.json("{ \"ticket\" : \"" + live.ticket("ada") + "\" }")
                : Response.json("{}").status(401);
    }

    public InetSocketAddress address() {
        return (InetSocketAddress) server.addresses().getFirst();
    }

    public String url() {
        return "http://127.0.0.1:" + address().getPort();
    }

    @Override
    public void close() {
        server.stop(Duration.ofMillis(200));
    }
}
