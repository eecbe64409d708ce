// SPDX-License-Identifier: Apache-2.0
package examples;

import io.sirocco.http.BadRequest;
import io.sirocco.http.Response;
import io.sirocco.http.Server;

/**
 * Custom error pages: for a path without a route, an invalid request, and an exception of a
 * handler. The message of an exception goes to the log, not to the client.
 *
 * <pre>
 *   curl -i http://localhost:8080/square/three
 *   curl -i http://localhost:8080/secret
 * </pre>
 */
public final class ErrorPages {

    static Server start(int port) {
        return Server.start(
                config -> config.port(port).errorPages(ErrorPages::page),
                routes ->
                        routes.get("/square/{number}", request -> square(request.param("number")))
                                .get(
                                        "/secret",
                                        request -> {
                                            throw new IllegalStateException("password: 1234");
                                        }));
    }

    private static Response page(int status, String message) {
        return Response.json("{\"status\": %d, \"message\": \"%s\"}".formatted(status, message));
    }

    private static Response square(String number) {
        try {
            int n = Integer.parseInt(number);
            return Response.text(Long.toString((long) n * n));
        } catch (NumberFormatException e) {
            throw new BadRequest("The number must have digits only.");
        }
    }

    void main(String[] arguments) {
        Server server = start(arguments.length == 0 ? 8080 : Integer.parseInt(arguments[0]));
        IO.println("http://127.0.0.1:" + server.port() + "/square/three");
    }
}
