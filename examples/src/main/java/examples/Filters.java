// SPDX-License-Identifier: Apache-2.0
package examples;

import io.sirocco.http.Filter;
import io.sirocco.http.Handler;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Server;

/**
 * Filters run before handlers. The first one added is the outermost; those of a group apply to the
 * group only. A filter can respond by itself, pass an attribute to the handler, or change the
 * response.
 *
 * <pre>
 *   curl -i http://localhost:8080/admin/who                               # 401
 *   curl -i -H 'Authorization: Bearer sesame' http://localhost:8080/admin/who
 * </pre>
 */
public final class Filters {

    static Server start(int port) {
        Filter named = (request, next) -> next.handle(request).header("X-Request-Id", request.id());
        return Server.start(
                port,
                routes ->
                        routes.filter(named)
                                .get("/", request -> Response.text("anyone"))
                                .group(
                                        "/admin",
                                        admin ->
                                                admin.filter(Filters::login)
                                                        .get("/who", Filters::who)));
    }

    private static Response login(Request request, Handler next) throws Exception {
        String given = request.header("Authorization").orElse("");
        if (!given.equals("Bearer sesame")) {
            return Response.text("Say the word.").status(401).header("WWW-Authenticate", "Bearer");
        }
        request.attribute("user", "Ali Baba");
        return next.handle(request);
    }

    private static Response who(Request request) {
        return Response.text("You are " + request.attribute("user").orElseThrow());
    }

    void main(String[] arguments) {
        Server server = start(arguments.length == 0 ? 8080 : Integer.parseInt(arguments[0]));
        IO.println("http://127.0.0.1:" + server.port() + "/");
    }
}
