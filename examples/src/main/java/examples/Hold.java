// SPDX-License-Identifier: Apache-2.0
package examples;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.sirocco.http.BadRequest;
import io.sirocco.http.BodySegment;
import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Server;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The application with which http-kit held 400,000 and 600,000 connections: the beginning of a
 * text, {@code ?length=} bytes of it (0 to 10,240), or 1 to 10 KB at random. A connection may be
 * idle for ever, and costs no buffer meanwhile; all responses are slices of one array.
 *
 * <pre>
 *   examples/hold/run --port 8000 --loops 1      # with the options of the JVM for a million
 *   curl 'http://127.0.0.1:8000/?length=100'
 *   ./sirocco bench hold http://127.0.0.1:8000/ --work http-kit-400k
 * </pre>
 */
public final class Hold {
    private static final int MOST = 10_240;
    private static final byte[] TEXT =
            "A server holds many connections, and most of them are idle. "
                    .repeat(MOST / 60 + 1)
                    .getBytes(US_ASCII);

    /**
     * The default, as many as fit into half of the heap at 256 bytes each, would refuse some of a
     * million with a heap of 256 MiB. Here each costs less: nothing waits for a slow client.
     */
    private static final int MOST_CONNECTIONS = 4_000_000;

    static Server start(InetSocketAddress address, int loops) {
        return Server.start(
                config ->
                        config.listen(address)
                                .loops(loops)
                                .idleTimeout(Duration.ZERO)
                                .maxOpenConnectionsPerLoop(MOST_CONNECTIONS)
                                .executionMode(ExecutionMode.INLINE),
                routes -> routes.get("/", Hold::text));
    }

    private static Response text(Request request) {
        int length =
                request.query("length")
                        .map(Hold::length)
                        .orElseGet(() -> ThreadLocalRandom.current().nextInt(1024, MOST + 1));
        return Response.segments(List.of(new BodySegment.Slice(TEXT, 0, length)))
                .contentType("text/plain");
    }

    private static int length(String text) {
        if (!text.matches("-?[0-9]{1,9}")) throw new BadRequest("The length must be a number.");
        return Math.clamp(Integer.parseInt(text), 0, MOST);
    }

    void main(String[] arguments) {
        String address = "0.0.0.0";
        int port = 8000;
        int loops = Runtime.getRuntime().availableProcessors();
        for (int i = 0; i + 1 < arguments.length; i += 2) {
            String value = arguments[i + 1];
            switch (arguments[i]) {
                case "--address" -> address = value;
                case "--port" -> port = Integer.parseInt(value);
                case "--loops" -> loops = Integer.parseInt(value);
                default -> throw new IllegalArgumentException("unknown option " + arguments[i]);
            }
        }
        Server server = start(new InetSocketAddress(address, port), loops);
        Runtime.getRuntime().addShutdownHook(new Thread(server::close));
        IO.println("Listening on http://" + address + ":" + server.port());
    }
}
