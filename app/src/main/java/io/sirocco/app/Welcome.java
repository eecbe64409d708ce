// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.sirocco.http.BadRequest;
import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Routes;
import io.sirocco.http.Server;
import io.sirocco.http.SseSink;
import java.io.IOException;
import java.io.InputStream;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * The welcome site, which is served without a directory or a configuration: a bundled page and the
 * endpoints that it demonstrates. Any thread.
 */
final class Welcome implements AutoCloseable {
    private static final long ANY_LENGTH = -1;
    private static final int MAX_BYTES = 1 << 20;
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,7}");

    /** The line that {@code /bytes} repeats. */
    private static final byte[] LINE =
            "A sirocco is a warm wind that comes from the south-east: bytes.\n".getBytes(US_ASCII);

    private final CountDownLatch closed = new CountDownLatch(1);
    private final long began = System.nanoTime();
    private final Supplier<Server> server;

    /** Creates the site; {@code /stats} reports on {@code server}. */
    Welcome(Supplier<Server> server) {
        this.server = server;
    }

    void addTo(Routes routes) {
        routes.get("/", new Page("welcome/index.html", "text/html; charset=utf-8"));
        routes.get("/style.css", new Page("welcome/style.css", "text/css; charset=utf-8"));
        routes.get("/welcome.js", new Page("welcome/welcome.js", "text/javascript; charset=utf-8"));
        routes.get("/icon.svg", new Page("welcome/icon.svg", "image/svg+xml"));
        routes.get("/hello/{name}", request -> Response.text("Hello, " + request.param("name")));
        routes.route("GET", "/bytes/{length}", Welcome::bytes).executionMode(ExecutionMode.INLINE);
        routes.route("POST", "/echo", Welcome::echo).maxBodyBytes(ANY_LENGTH);
        routes.route("POST", "/upload", Welcome::count).maxBodyBytes(ANY_LENGTH);
        routes.get("/ticks", request -> Response.events(this::tick));
        routes.get("/stats", request -> stats());
    }

    /** Returns as many bytes as requested, for load tests. */
    private static Response bytes(Request request) {
        String word = request.param("length");
        int length = NUMBER.matcher(word).matches() ? Integer.parseInt(word) : -1;
        if (length < 0 || length > MAX_BYTES) {
            throw new BadRequest("The length must be 0 to " + MAX_BYTES + ".");
        }
        var bytes = new byte[length];
        for (int i = 0; i < length; i += LINE.length) {
            System.arraycopy(LINE, 0, bytes, i, Math.min(LINE.length, length - i));
        }
        return Response.bytes(bytes).contentType("text/plain");
    }

    /** Streams the body back as it arrives, without buffering it. */
    private static Response echo(Request request) {
        InputStream in = request.body().inputStream();
        OptionalLong length = request.body().length();
        Response echo =
                length.isPresent()
                        ? Response.stream(length.getAsLong(), in::transferTo)
                        : Response.stream(in::transferTo);
        return request.header("Content-Type")
                .map(echo::contentType)
                .orElse(echo)
                .header("X-Content-Type-Options", "nosniff");
    }

    private static Response count(Request request) throws IOException {
        InputStream in = request.body().inputStream();
        byte[] piece = new byte[16 << 10];
        long bytes = 0;
        for (int n; (n = in.read(piece)) >= 0; ) {
            bytes += n;
        }
        return Response.json("{\"bytes\":" + bytes + "}");
    }

    /** Sends one event per second until the client or the server closes the stream. */
    private void tick(SseSink sink) throws IOException, InterruptedException {
        long tick = 0;
        do {
            sink.send("tick " + ++tick);
        } while (!closed.await(1, TimeUnit.SECONDS));
    }

    private Response stats() {
        var loops = server.get().stats();
        return Response.json(
                        """
                        {"connections":%d,"requests":%d,"loops":%d,"transport":"%s","uptime":%d}
                        """
                                .formatted(
                                        loops.stream()
                                                .mapToInt(loop -> loop.net().connections())
                                                .sum(),
                                        loops.stream().mapToLong(loop -> loop.requests()).sum(),
                                        loops.size(),
                                        server.get().transport().label(),
                                        (System.nanoTime() - began) / 1_000_000_000L))
                .header("Cache-Control", "no-store");
    }

    /** Ends the event streams, for which a drain would wait in vain. */
    @Override
    public void close() {
        closed.countDown();
    }
}
