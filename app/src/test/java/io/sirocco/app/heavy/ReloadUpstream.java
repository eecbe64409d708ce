// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.heavy;

import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.http.WebSocket;
import io.sirocco.http.WebSocketListener;
import io.sirocco.http.WebSockets;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A server with a page and a WebSocket that echoes, in a JVM of its own: prints its port, and ends
 * with its input.
 */
public final class ReloadUpstream {
    private static final WebSockets QUIET =
            WebSockets.of(settings -> settings.ping(Duration.ZERO, Duration.ZERO));

    private static final WebSocketListener ECHO =
            new WebSocketListener() {
                @Override
                public void onText(WebSocket socket, String text) {
                    socket.trySend(text);
                }
            };

    private ReloadUpstream() {}

    static Process start() throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:+UseSerialGC",
                        "--add-opens=java.base/java.lang=ALL-UNNAMED",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ReloadUpstream.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    static int port(Process process) throws IOException {
        return Integer.parseInt(process.inputReader().readLine());
    }

    public static void main(String[] arguments) throws IOException {
        try (Server server =
                Server.start(
                        config ->
                                config.listen(new InetSocketAddress("127.0.0.1", 0))
                                        .loops(1)
                                        .idleTimeout(Duration.ofHours(1)),
                        routes -> {
                            routes.get("/page", request -> Response.text("page"));
                            routes.route(
                                            "GET",
                                            "/socket",
                                            request -> Response.webSocket(QUIET, ECHO))
                                    .executionMode(ExecutionMode.LOOP);
                        })) {
            System.out.println(server.port());
            while (System.in.read() >= 0) {
                // until it ends
            }
        }
    }
}
