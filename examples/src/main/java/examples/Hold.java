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
    private static final int MAX = 10_240;
    private static final byte[] TEXT =
            "A server holds many connections, and most of them are idle. "
                    .repeat(MAX / 60 + 1)
                    .getBytes(US_ASCII);

    /**
     * The default, as many as fit into half of the heap at 256 bytes each, would refuse some of a
     * million with a heap of 256 MiB. Here each costs less: nothing waits for a slow client.
     */
    private static final int MAX_CONNECTIONS = 4_000_000;

    static Server start(InetSocketAddress address, int loops) {
        return Server.start(
                config ->
                        config.listen(address)
                                .loops(loops)
                                .idleTimeout(Duration.ZERO)
                                .maxOpenConnectionsPerLoop(MAX_CONNECTIONS)
                                .executionMode(ExecutionMode.INLINE),
                routes -> routes.get("/", Hold::text));
    }

    private static Response text(Request request) {
        int length =
                request.query("length")
                        .map(Hold::length)
                        .orElseGet(() -> ThreadLocalRandom.current().nextInt(1024, MAX + 1));
        return Response.segments(List.of(new BodySegment.Slice(TEXT, 0, length)))
                .contentType("text/plain");
    }

    private static int length(String text) {
        if (!text.matches("-?[0-9]{1,9}")) throw new BadRequest("The length must be a number.");
        return Math.clamp(Integer.parseInt(text), 0, MAX);
    }

    private static final String USAGE =
            """
            Usage: examples/hold/run [--port N] [--address ADDRESS] [--loops N]

              --port N            port to listen on, 0 for any free one (8000)
              --address ADDRESS   address to listen on (0.0.0.0)
              --loops N           event loops (one for each core)
              -h, --help          print this text

            JAVA_OPTS holds further options for the JVM.
            """;

    /** The options of the command line. */
    record Options(String address, int port, int loops, boolean help) {
        /**
         * Reads the options.
         *
         * @throws IllegalArgumentException if one is unknown or has no value that it can have
         */
        static Options of(String... arguments) {
            String address = "0.0.0.0";
            int port = 8000;
            int loops = Runtime.getRuntime().availableProcessors();
            for (int i = 0; i < arguments.length; i += 2) {
                String option = arguments[i];
                String value = i + 1 < arguments.length ? arguments[i + 1] : "";
                switch (option) {
                    case "-h", "--help" -> {
                        return new Options(address, port, loops, true);
                    }
                    case "--address" -> address = text(option, value);
                    case "--port" -> port = number(option, value, 0, 65_535);
                    case "--loops" -> loops = number(option, value, 1, 1_024);
                    default ->
                            throw new IllegalArgumentException("unknown option '" + option + "'");
                }
            }
            return new Options(address, port, loops, false);
        }

        private static String text(String option, String value) {
            if (value.isEmpty() || value.startsWith("--")) {
                throw new IllegalArgumentException(option + " needs a value");
            }
            return value;
        }

        private static int number(String option, String value, int least, int most) {
            String digits = text(option, value);
            if (digits.matches("[0-9]{1,6}")) {
                int number = Integer.parseInt(digits);
                if (number >= least && number <= most) {
                    return number;
                }
            }
            throw new IllegalArgumentException(
                    "%s is a number from %d to %d, not '%s'".formatted(option, least, most, value));
        }
    }

    void main(String[] arguments) {
        Options options;
        try {
            options = Options.of(arguments);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage() + "\n\n" + USAGE);
            System.exit(2);
            return;
        }
        if (options.help()) {
            IO.print(USAGE);
            return;
        }
        Server server =
                start(new InetSocketAddress(options.address(), options.port()), options.loops());
        Runtime.getRuntime().addShutdownHook(new Thread(server::close));
        IO.println("Listening on http://" + options.address() + ":" + server.port());
    }
}
