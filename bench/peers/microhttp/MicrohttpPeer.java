// SPDX-License-Identifier: Apache-2.0
import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.microhttp.EventLoop;
import org.microhttp.Header;
import org.microhttp.NoopLogger;
import org.microhttp.OptionsBuilder;
import org.microhttp.Request;
import org.microhttp.Response;

/** Microhttp as a peer in the race: a port. */
final class MicrohttpPeer {
    private static final DateTimeFormatter IMF_DATE =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US)
                    .withZone(ZoneOffset.UTC);
    private static final Header TEXT = new Header("Content-Type", "text/plain");
    private static final byte[] HELLO = "Hello, World!".getBytes(US_ASCII);
    private static final byte[] ECHO = "Hello from the echo".getBytes(US_ASCII);
    private static final byte[] NOT_FOUND = "Not Found".getBytes(US_ASCII);

    /** The fields of every answer, made anew when the second has changed. */
    private static List<Header> headers;

    private static long second;

    private MicrohttpPeer() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        var options =
                OptionsBuilder.newBuilder()
                        .withHost("127.0.0.1")
                        .withPort(Integer.parseInt(arguments[0]))
                        .withAcceptLength(4096)
                        .withConcurrency(1)
                        .build();
        var loop = new EventLoop(options, NoopLogger.instance(), MicrohttpPeer::answer);
        loop.start();
        loop.join();
    }

    private static void answer(Request request, Consumer<Response> callback) {
        callback.accept(
                switch (request.uri()) {
                    case "/plaintext" -> new Response(200, "OK", headers(), HELLO);
                    case "/echo" -> new Response(200, "OK", headers(), ECHO);
                    default -> new Response(404, "Not Found", headers(), NOT_FOUND);
                });
    }

    private static List<Header> headers() {
        long now = System.currentTimeMillis() / 1000;
        if (now != second) {
            second = now;
            String date = IMF_DATE.format(Instant.ofEpochSecond(now));
            headers = List.of(TEXT, new Header("Date", date));
        }
        return headers;
    }
}
