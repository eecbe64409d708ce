// SPDX-License-Identifier: Apache-2.0
package examples;

import io.sirocco.http.BadRequest;
import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.net.RateLimiter;

/**
 * A route whose downloads share a bandwidth, which can change while they run.
 *
 * <pre>
 *   curl -o /dev/null http://localhost:8080/download &
 *   curl -X PUT http://localhost:8080/rate/1000000          # bytes per second; 0 for no limit
 * </pre>
 */
public final class Throttle {
    private static final int LENGTH = 10_000_000;

    static Server start(int port) {
        RateLimiter reads = RateLimiter.perSecond(RateLimiter.UNLIMITED);
        RateLimiter writes = RateLimiter.perSecond(100_000);
        return Server.start(
                config -> config.port(port),
                routes -> {
                    routes.route("GET", "/download", request -> download())
                            .bandwidth(reads, writes);
                    routes.put("/rate/{bytes}", request -> change(writes, request.param("bytes")));
                });
    }

    private static Response change(RateLimiter bandwidth, String bytes) {
        if (!bytes.matches("[0-9]{1,12}")) throw new BadRequest("The rate must be a number.");
        bandwidth.rate(Long.parseLong(bytes));
        return Response.empty(204);
    }

    private static Response download() {
        return Response.stream(
                LENGTH,
                out -> {
                    byte[] piece = new byte[10_000];
                    for (int sent = 0; sent < LENGTH; sent += piece.length) {
                        out.write(piece); // waits while the bucket is empty
                    }
                });
    }

    void main(String[] arguments) {
        Server server = start(arguments.length == 0 ? 8080 : Integer.parseInt(arguments[0]));
        IO.println("http://127.0.0.1:" + server.port() + "/download");
    }
}
