// SPDX-License-Identifier: Apache-2.0
package examples;

import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.http.WebSocket;
import io.sirocco.http.WebSocketListener;
import io.sirocco.http.WebSockets;

/**
 * Echoes each message, with callbacks on the event loop: no thread per socket, and no buffers for
 * idle ones. It compresses messages for clients that support it. The suite {@code .ci/web/kosoku}
 * runs against this program.
 */
public final class WebSocketEcho {
    private static final WebSockets COMPRESSED =
            WebSockets.of(
                    settings ->
                            settings.maxMessageBytes(16 << 20)
                                    .maxPendingBytes(16 << 20)
                                    .compression(0)
                                    .contextTakeover(true, true, 64 << 20));

    private static final WebSocketListener ECHO =
            new WebSocketListener() {
                @Override
                public void onText(WebSocket socket, String text) {
                    socket.trySend(text);
                }

                @Override
                public void onBinary(WebSocket socket, byte[] bytes) {
                    socket.trySend(bytes);
                }
            };

    static Server start(int port) {
        return Server.start(
                port, routes -> routes.get("/", request -> Response.webSocket(COMPRESSED, ECHO)));
    }

    void main(String[] arguments) {
        Server server = start(arguments.length == 0 ? 8080 : Integer.parseInt(arguments[0]));
        IO.println("ws://127.0.0.1:" + server.port() + "/");
    }
}
