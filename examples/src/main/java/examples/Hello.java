// SPDX-License-Identifier: Apache-2.0
package examples;

import static java.lang.Thread.sleep;

import io.sirocco.http.Response;
import io.sirocco.http.Server;

/** The program of the README: a parameter, a body, a stream of events. */
public final class Hello {

    static Server start(int port) {
        return Server.start(
                port,
                routes ->
                        routes.get(
                                        "/hello/{name}",
                                        request -> Response.text("Hello, " + request.param("name")))
                                .post("/echo", request -> Response.bytes(request.body().bytes()))
                                .get(
                                        "/ticks",
                                        request ->
                                                Response.events(
                                                        sink -> {
                                                            while (true) {
                                                                sink.send("tick");
                                                                sleep(1000);
                                                            }
                                                        })));
    }

    void main(String[] arguments) {
        Server server = start(arguments.length == 0 ? 8080 : Integer.parseInt(arguments[0]));
        IO.println("http://127.0.0.1:" + server.port() + "/hello/you");
    }
}
