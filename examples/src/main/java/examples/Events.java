// SPDX-License-Identifier: Apache-2.0
package examples;

import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Server;
import java.time.Duration;

/**
 * A page that counts with server-sent events. When the browser reconnects, it sends the id of the
 * last event as Last-Event-ID, so the count continues.
 */
public final class Events {

    static Server start(int port) {
        return start(port, Duration.ofSeconds(1));
    }

    static Server start(int port, Duration pause) {
        return Server.start(
                port,
                routes ->
                        routes.get("/", request -> Response.html(PAGE))
                                .get("/count", request -> count(request, pause)));
    }

    private static Response count(Request request, Duration pause) {
        long seen =
                request.header("Last-Event-ID")
                        .filter(id -> id.matches("[0-9]{1,12}"))
                        .map(Long::parseLong)
                        .orElse(0L);
        return Response.events(
                sink -> {
                    sink.retry(Duration.ofSeconds(2));
                    for (long next = seen + 1; ; next++) {
                        sink.send("count", Long.toString(next), "This is " + next);
                        Thread.sleep(pause);
                    }
                });
    }

    private static final String PAGE =
            """
            <!doctype html>
            <title>Events</title>
            <h1 id="now">waiting</h1>
            <script>
              new EventSource("count").addEventListener("count",
                  event => document.getElementById("now").textContent = event.data);
            </script>
            """;

    void main(String[] arguments) {
        Server server = start(arguments.length == 0 ? 8080 : Integer.parseInt(arguments[0]));
        IO.println("http://127.0.0.1:" + server.port() + "/");
    }
}
