// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.heavy;

import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Response;
import io.sirocco.http.Routes;
import io.sirocco.http.Server;
import io.sirocco.http.ServerStats;
import io.sirocco.http.WebSocket;
import io.sirocco.http.WebSocketListener;
import io.sirocco.http.WebSockets;
import io.sirocco.net.TransportKind;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The server of the heavy tests, in a JVM of its own. Arguments: the transport and the number of
 * loops. Prints its port, and then obeys its input: {@code stats} prints a line, {@code restart}
 * stops and starts, {@code waiting} prints how many handlers wait for {@code open}, the end of the
 * input ends it.
 */
public final class HeavyServer {
    private static final byte[] MEGABYTE = new byte[1 << 20];
    private static final CountDownLatch OPEN = new CountDownLatch(1);
    private static final AtomicInteger WAITING = new AtomicInteger();

    /** However long a crowd takes to grow, what its sockets receive is what they asked for. */
    private static final WebSockets QUIET =
            WebSockets.of(settings -> settings.ping(Duration.ZERO, Duration.ZERO));

    private static final WebSocketListener ECHO =
            new WebSocketListener() {
                @Override
                public void onText(WebSocket socket, String text) {
                    socket.trySend(text);
                }
            };

    private HeavyServer() {}

    public static void main(String[] arguments) throws IOException {
        Server server =
                Server.start(
                        config ->
                                config.port(0)
                                        .transport(TransportKind.valueOf(arguments[0]))
                                        .loops(Integer.parseInt(arguments[1]))
                                        .maxBodyBytes(-1)
                                        .idleTimeout(Duration.ofMinutes(10)),
                        HeavyServer::routes);
        System.out.println(server.port());
        var input = new BufferedReader(new InputStreamReader(System.in));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            switch (line) {
                case "stats" -> System.out.println(sum(server));
                case "restart" -> {
                    server.stop(Duration.ofSeconds(10));
                    System.out.println(server.start().port());
                }
                case "waiting" -> System.out.println(WAITING);
                case "open" -> {
                    OPEN.countDown();
                    System.out.println("open");
                }
                default -> System.out.println("unknown: " + line);
            }
        }
        server.close();
    }

    /** Connections, requests, write memory. */
    private static String sum(Server server) {
        long connections = 0;
        long requests = 0;
        long memory = 0;
        for (ServerStats stats : server.stats()) {
            connections += stats.net().connections();
            requests += stats.requests();
            memory += stats.net().writeMemory();
        }
        return connections + " " + requests + " " + memory;
    }

    private static void routes(Routes routes) {
        routes.get("/hello", request -> Response.text("hello"));
        // Stays on the loop: a slow first call would give each socket a queue for another thread.
        routes.route("GET", "/listener", request -> Response.webSocket(QUIET, ECHO))
                .executionMode(ExecutionMode.LOOP);
        routes.get(
                "/conversation",
                request ->
                        Response.webSocket(
                                QUIET,
                                socket -> {
                                    while (socket.receive() instanceof WebSocket.Text(var text)) {
                                        socket.send(text);
                                    }
                                }));
        routes.get("/wait", request -> await());
        routes.post(
                "/count",
                request -> Response.text(Long.toString(count(request.body().inputStream()))));
        routes.get("/page", request -> Response.bytes(MEGABYTE));
        routes.get(
                "/flood/{megabytes}",
                request -> flood(Integer.parseInt(request.param("megabytes"))));
    }

    private static Response await() throws InterruptedException {
        WAITING.incrementAndGet();
        OPEN.await();
        WAITING.decrementAndGet();
        return Response.text("waited");
    }

    private static long count(InputStream in) throws IOException {
        byte[] piece = new byte[4096];
        long total = 0;
        for (int n; (n = in.read(piece)) >= 0; ) {
            total += n;
        }
        return total;
    }

    private static Response flood(int megabytes) {
        return Response.stream(
                (long) megabytes << 20,
                out -> {
                    for (int i = 0; i < megabytes; i++) {
                        out.write(MEGABYTE);
                    }
                });
    }
}
