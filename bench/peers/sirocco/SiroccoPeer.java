// SPDX-License-Identifier: Apache-2.0
import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.live.Arguments;
import io.sirocco.live.Client;
import io.sirocco.live.Live;
import io.sirocco.net.TransportKind;
import io.sirocco.web.cache.ResponseCache;
import io.sirocco.web.files.FileServer;
import io.sirocco.web.proxy.Proxy;
import io.sirocco.web.proxy.Upstream;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/** Sirocco as a peer in the race: a port, a folder, a transport, a number of event loops. */
final class SiroccoPeer {
    private static final Response HELLO = Response.text("Hello, World!").contentType("text/plain");
    private static final Response THREE = Response.text("abc").contentType("text/plain");
    private static final Response ECHO = Response.text("Hello from the echo").contentType("text/plain");

    private static final String PASSWORD = "secret";

    private SiroccoPeer() {}

    public static void main(String[] arguments) {
        int port = Integer.parseInt(arguments[0]);
        Path files = Path.of(arguments[1]);
        var transport = TransportKind.valueOf(arguments[2].toUpperCase(Locale.ROOT));
        int loops = Integer.parseInt(arguments[3]);
        String behind = Optional.ofNullable(System.getenv("UPSTREAM")).orElse("127.0.0.1:9");
        Upstream upstream = Upstream.of("http://" + behind);
        ResponseCache cache = ResponseCache.create(options -> options.memory(64 << 20));
        Live live = live();
        Server.start(
                config ->
                        config.listen(new InetSocketAddress("127.0.0.1", port))
                                .loops(loops)
                                .transport(transport)
                                .serverHeader(""),
                routes -> {
                    routes.route("GET", "/plaintext", _ -> HELLO).executionMode(ExecutionMode.INLINE);
                    routes.route("GET", "/virtual", _ -> HELLO).executionMode(ExecutionMode.VIRTUAL);
                    routes.route("GET", "/echo", _ -> ECHO).executionMode(ExecutionMode.INLINE);
                    routes.route("GET", "/three", _ -> THREE).executionMode(ExecutionMode.INLINE);
                    // no ranges, as nginx here, and as PokerFace's nginx had it
                    var server = FileServer.of(files, options -> options.maxRanges(0));
                    routes.route("GET", "/files/*", server).executionMode(ExecutionMode.INLINE);
                    routes.any("/proxy/*", Proxy.to(upstream));
                    routes.any("/cached/*", Proxy.to(upstream, options -> options.cache(cache)));
                    routes.mount("/socket.io", live);
                    routes.route("POST", "/ticket", request -> ticket(live, request.body().text()))
                            .executionMode(ExecutionMode.INLINE);
                });
    }

    // ---- event channels

    private static Live live() {
        Live live = Live.create(c -> c.password(PASSWORD).tickets(Duration.ofSeconds(30)).anyConnects().anyMessages());
        live.onRequest("echo", (_, arguments) -> arguments);
        live.on("join", (client, room) -> client.join(room.asString(0)));
        live.on("leave", (client, room) -> client.leave(room.asString(0)));
        live.on("publish", SiroccoPeer::publish);
        return live;
    }

    private static void publish(Client client, Arguments arguments) {
        client.room(arguments.asString(0))
                .send(arguments.asString(1), arguments.values(2))
                .toCompletableFuture()
                .join();
    }

    private static Response ticket(Live live, String body) {
        return body.equals("{\"password\":\"" + PASSWORD + "\"}")
                ? Response.json("{\"ticket\":\"" + live.ticket("bench") + "\"}")
                : Response.json("{\"error\":{\"code\":\"unauthorized\"}}").status(401);
    }
}
