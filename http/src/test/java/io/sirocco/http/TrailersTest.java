// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Serving.Mode;
import io.sirocco.net.TransportKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Trailers, interim responses and bodies without a thread, as HTTP/1.1 carries them. */
class TrailersTest {
    private static final byte[] WROTE = "wrote".getBytes();
    private static final Headers CHECKSUM = Headers.of("Checksum", "7");

    static List<Arguments> everywhere() {
        var all = new ArrayList<Arguments>();
        for (TransportKind transport : OnTheWire.TRANSPORTS) {
            for (Mode mode : Mode.values()) {
                all.add(Arguments.of(transport, mode));
            }
        }
        return all;
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void trailersFollowTheLastChunk(TransportKind transport, Mode mode, @TempDir Path folder)
            throws Exception {
        Path file = Files.writeString(folder.resolve("a.txt"), "file");
        try (var serving =
                        new Serving(
                                transport,
                                mode,
                                c -> {},
                                routes -> {
                                    routes.get("/bytes", r -> with(Response.text("body")));
                                    routes.get("/file", r -> with(Response.file(file)));
                                    routes.get("/empty", r -> with(Response.text("")));
                                    routes.get(
                                            "/stream",
                                            r -> with(Response.stream(5, out -> out.write(WROTE))));
                                    routes.get(
                                            "/source",
                                            r -> with(Response.stream(source("one", "two"))));
                                });
                Client old = serving.client()) {
            String end = "0\r\nChecksum: 7\r\n\r\n";
            assertTrue(get(serving, "/bytes", end).endsWith("\r\n\r\n4\r\nbody\r\n" + end));
            assertTrue(get(serving, "/file", end).endsWith("\r\n\r\n4\r\nfile\r\n" + end));
            assertTrue(get(serving, "/empty", end).endsWith("\r\n\r\n" + end));
            assertTrue(get(serving, "/stream", end).endsWith("\r\n\r\n5\r\nwrote\r\n" + end));
            String source = get(serving, "/source", end);
            assertTrue(source.endsWith("\r\n\r\n3\r\none\r\n3\r\ntwo\r\n" + end), source);
            assertFalse(source.contains("Content-Length"));
            old.send("GET /bytes HTTP/1.0\nHost: a\n\n");
            assertTrue(old.untilEnd().endsWith("\r\n\r\nbody"), "HTTP/1.0 has no chunks");
        }
    }

    private static Response with(Response response) {
        return response.trailers(() -> CHECKSUM);
    }

    private static String get(Serving serving, String path, String end) {
        try (Client client = serving.client()) {
            return client.send("GET " + path + " HTTP/1.1\nHost: a\n\n").until(end);
        }
    }

    private static BodySource source(String... pieces) {
        var left = new ArrayList<>(List.of(pieces));
        return () ->
                CompletableFuture.completedFuture(
                        left.isEmpty() ? new byte[0] : left.removeFirst().getBytes());
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void trailersOfARequestAreThereBehindItsBody(TransportKind transport, Mode mode)
            throws Exception {
        try (var serving =
                        new Serving(
                                transport,
                                mode,
                                c -> {},
                                routes ->
                                        routes.post(
                                                "/",
                                                r ->
                                                        Response.text(
                                                                r.body().text()
                                                                        + r.body().trailers())));
                Client client = serving.client()) {
            client.send(
                    "POST / HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n4\nbody\n0\n"
                            + "Content-Type: b\nChecksum: 7\n\n");
            client.until("body" + CHECKSUM);
            client.send("POST / HTTP/1.1\nHost: a\nContent-Length: 4\n\nnext");
            client.until("next" + Headers.none());
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void interimResponsesGoBeforeTheResponseAndNotToHttp10(TransportKind transport, Mode mode)
            throws Exception {
        try (var serving =
                        new Serving(
                                transport,
                                mode,
                                c -> {},
                                routes ->
                                        routes.get(
                                                "/",
                                                r -> {
                                                    assertThrows(
                                                            IllegalArgumentException.class,
                                                            () -> r.interim(101, Headers.none()));
                                                    r.interim(103, Headers.of("Link", "</a.css>"));
                                                    return Response.text("page");
                                                }));
                Client client = serving.client()) {
            String both = get(serving, "/", "page");
            assertTrue(
                    both.startsWith(
                            "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\nHTTP/1.1 200 OK"),
                    both);
            client.send("GET / HTTP/1.0\n\n");
            assertFalse(client.untilEnd().contains("103"));
        }
    }

    /** What docs/http.md shows: an echo of any length, of which no thread waits for any part. */
    @ParameterizedTest
    @MethodSource("everywhere")
    void anEchoNeedsNoThread(TransportKind transport, Mode mode) throws Exception {
        byte[] body = new byte[3 << 20];
        for (int i = 0; i < body.length; i++) {
            body[i] = (byte) (i * 31 >>> 8);
        }
        try (var serving =
                        new Serving(
                                transport,
                                mode,
                                c -> {},
                                routes ->
                                        routes.route(
                                                        "POST",
                                                        "/echo",
                                                        r -> Response.stream(r.body()::next))
                                                .executionMode(ExecutionMode.INLINE)
                                                .startBeforeBody());
                Client client = serving.client()) {
            client.send(
                    "POST /echo HTTP/1.1\nHost: a\nConnection: close\nContent-Length: "
                            + body.length
                            + "\n\n");
            String echo = client.send(body).untilEnd();
            int from = echo.indexOf("\r\n\r\n") + 4;
            assertEquals(new String(body, ISO_8859_1), unchunked(echo.substring(from)));
        }
    }

    private static String unchunked(String body) {
        var all = new StringBuilder();
        for (int at = 0; ; ) {
            int line = body.indexOf("\r\n", at);
            int size = Integer.parseInt(body.substring(at, line), 16);
            if (size == 0) {
                return all.toString();
            }
            all.append(body, line + 2, line + 2 + size);
            at = line + 4 + size;
        }
    }
}
