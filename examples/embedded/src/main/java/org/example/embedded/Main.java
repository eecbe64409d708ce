// SPDX-License-Identifier: Apache-2.0
package org.example.embedded;

import io.sirocco.http.Response;
import io.sirocco.http.Server;
import java.net.InetSocketAddress;

/** Greets by HTTP. The first argument is the port, 8080 by default. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        int port = args.length > 0 ? Integer.parseInt(args[0]) : 8080;
        Server server = start(port);
        System.out.println("http://127.0.0.1:" + server.port() + "/hello/you");
    }

    /** Starts the server on a port; 0 lets the system choose one. */
    static Server start(int port) {
        return Server.start(
                config -> config.listen(new InetSocketAddress("127.0.0.1", port)),
                routes ->
                        routes.get(
                                "/hello/{name}",
                                request -> Response.text("Hello, " + request.param("name"))));
    }
}
