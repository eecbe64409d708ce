// SPDX-License-Identifier: Apache-2.0
package examples;

import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Server;

/**
 * Responds with a greeting of 19 bytes and the body of the request. Both sides are streamed: bytes
 * leave before the rest arrives, so a body of any length takes the same memory.
 *
 * <pre>
 *   curl -X GET -d 'and a body' http://localhost:8080/echo
 * </pre>
 */
public final class Echo {
    private static final byte[] GREETING = "Hello World! Echo:\n".getBytes();

    static Server start(int port) {
        return Server.start(
                config -> config.port(port).maxBodyBytes(-1), // a body of any length
                routes -> routes.get("/echo", Echo::echo));
    }

    private static Response echo(Request request) {
        return Response.stream(
                        out -> {
                            out.write(GREETING);
                            request.body().inputStream().transferTo(out);
                        })
                .contentType("text/plain; charset=utf-8");
    }

    void main(String[] arguments) {
        Server server = start(arguments.length == 0 ? 8080 : Integer.parseInt(arguments[0]));
        IO.println("http://127.0.0.1:" + server.port() + "/echo");
    }
}
