// SPDX-License-Identifier: Apache-2.0
import static io.vertx.core.http.HttpHeaders.CONTENT_TYPE;
import static io.vertx.core.http.HttpHeaders.DATE;

import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Vert.x as a peer in the race: a port, a folder. */
final class VertxPeer extends VerticleBase {
    private static final CharSequence TEXT = HttpHeaders.createOptimized("text/plain");
    private static final CharSequence BINARY =
            HttpHeaders.createOptimized("application/octet-stream");
    private static final DateTimeFormatter IMF_DATE =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US)
                    .withZone(ZoneOffset.UTC);
    private static final Buffer HELLO = Buffer.buffer("Hello, World!");
    private static final Buffer THREE = Buffer.buffer("abc");
    private static final Buffer ECHO = Buffer.buffer("Hello from the echo");
    private static final Buffer NOT_FOUND = Buffer.buffer("Not Found");

    private final int port;
    private final Path files;

    /** Rendered once a second. */
    private CharSequence date = now();

    private VertxPeer(int port, Path files) {
        this.port = port;
        this.files = files;
    }

    public static void main(String[] arguments) {
        var options = new VertxOptions().setEventLoopPoolSize(1).setPreferNativeTransport(true);
        var vertx = Vertx.vertx(options);
        if (!vertx.isNativeTransportEnabled()) {
            throw new IllegalStateException("no epoll", vertx.unavailableNativeTransportCause());
        }
        vertx.deployVerticle(new VertxPeer(Integer.parseInt(arguments[0]), Path.of(arguments[1])))
                .await();
    }

    @Override
    public Future<?> start() {
        vertx.setPeriodic(1000, _ -> date = now());
        var options =
                new HttpServerOptions().setAcceptBacklog(4096).setHttp2ClearTextEnabled(false);
        return vertx.createHttpServer(options)
                .requestHandler(this::answer)
                .listen(port, "127.0.0.1");
    }

    private static CharSequence now() {
        return HttpHeaders.createOptimized(IMF_DATE.format(Instant.now()));
    }

    private void answer(HttpServerRequest request) {
        String path = request.path();
        HttpServerResponse response = request.response();
        if (path.equals("/plaintext")) {
            text(response, HELLO);
        } else if (path.equals("/echo")) {
            text(response, ECHO);
        } else if (path.equals("/three")) {
            text(response, THREE);
        } else if (path.startsWith("/files/") && path.lastIndexOf('/') == 6) {
            file(response, files.resolve(path.substring(7)));
        } else {
            missing(response);
        }
    }

    private void text(HttpServerResponse response, Buffer text) {
        response.putHeader(CONTENT_TYPE, TEXT).putHeader(DATE, date).end(text);
    }

    private void file(HttpServerResponse response, Path file) {
        response.putHeader(CONTENT_TYPE, BINARY)
                .putHeader(DATE, date)
                .sendFile(file.toString())
                .onFailure(_ -> missing(response));
    }

    private void missing(HttpServerResponse response) {
        if (response.headWritten()) return; // and the connection broke
        text(response.setStatusCode(404), NOT_FOUND);
    }
}
