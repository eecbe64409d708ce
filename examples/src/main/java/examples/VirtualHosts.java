// SPDX-License-Identifier: Apache-2.0
package examples;

import io.sirocco.http.Response;
import io.sirocco.http.Server;

/**
 * Several hosts on one port. The most specific one responds: a name, then a pattern, then the
 * routes without a host.
 *
 * <pre>
 *   curl -H 'Host: shop.example' http://localhost:8080/
 * </pre>
 */
public final class VirtualHosts {

    static Server start(int port) {
        return Server.start(
                port,
                routes ->
                        routes.get("/", request -> Response.text("no host of ours"))
                                .host(
                                        "shop.example",
                                        shop -> shop.get("/", request -> Response.text("the shop")))
                                .host(
                                        "*.blog.example",
                                        blog ->
                                                blog.get(
                                                        "/",
                                                        request ->
                                                                Response.text(
                                                                        "blog of "
                                                                                + author(
                                                                                        request
                                                                                                .host())))));
    }

    private static String author(String host) {
        return host.substring(0, host.indexOf('.'));
    }

    void main(String[] arguments) {
        Server server = start(arguments.length == 0 ? 8080 : Integer.parseInt(arguments[0]));
        IO.println("http://127.0.0.1:" + server.port() + "/");
    }
}
