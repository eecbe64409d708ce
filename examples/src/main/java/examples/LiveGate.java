// SPDX-License-Identifier: Apache-2.0
package examples;

import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.live.Live;
import io.sirocco.live.broker.Limit;
import java.time.Duration;

/**
 * Event channels with a password and a limit for connects, and a page on the same port. {@link
 * LiveRush} measures it.
 */
public final class LiveGate {

    static Server start(int port) {
        Live live =
                Live.create(
                        c ->
                                c.password("secret")
                                        .connects(new Limit.Bucket(1_005, Duration.ofSeconds(1))));
        live.onRequest("whoami", (client, arguments) -> client.id());
        return Server.start(
                port,
                routes ->
                        routes.mount("/socket.io", live)
                                .get("/", request -> Response.text("hi\n")));
    }

    void main(String[] arguments) {
        Server server = start(arguments.length == 0 ? 8080 : Integer.parseInt(arguments[0]));
        IO.println("http://127.0.0.1:" + server.port() + "/");
    }
}
