// SPDX-License-Identifier: Apache-2.0
package examples;

import io.sirocco.http.PreparedMessage;
import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.http.WebSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A chat room on one page, in blocking code. Each message goes to all clients and is encoded once.
 * A client that does not read misses messages, but does not delay the others.
 */
public final class Chat {

    static Server start(int port) {
        Set<WebSocket> room = ConcurrentHashMap.newKeySet();
        return Server.start(
                port,
                routes ->
                        routes.get("/", request -> Response.html(PAGE))
                                .get(
                                        "/chat",
                                        request ->
                                                Response.webSocket(socket -> join(room, socket))));
    }

    private static void join(Set<WebSocket> room, WebSocket socket) throws java.io.IOException {
        room.add(socket);
        try {
            while (socket.receive() instanceof WebSocket.Text(String text)) {
                PreparedMessage.text(text).sendTo(room);
            }
        } finally {
            room.remove(socket);
        }
    }

    private static final String PAGE =
            """
            <!doctype html>
            <title>Chat</title>
            <form><input id="mine" autofocus placeholder="Say something"></form>
            <pre id="all"></pre>
            <script>
              const socket = new WebSocket(location.href.replace(/^http/, "ws") + "chat");
              socket.onmessage = event => all.append(event.data + "\\n");
              document.forms[0].onsubmit = event => {
                event.preventDefault();
                socket.send(mine.value);
                mine.value = "";
              };
            </script>
            """;

    void main(String[] arguments) {
        Server server = start(arguments.length == 0 ? 8080 : Integer.parseInt(arguments[0]));
        IO.println("http://127.0.0.1:" + server.port() + "/");
    }
}
