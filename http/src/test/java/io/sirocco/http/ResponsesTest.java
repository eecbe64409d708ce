// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How responses look on the wire: their framing, and what the server adds. */
class ResponsesTest extends OnTheWire {
    private static final String LARGE = "0123456789abcdef".repeat(20_000);
    private static final Response CONSTANT = Response.text("constant");
    private static final Response LARGE_CONSTANT = Response.text(LARGE);
    @TempDir static Path folder;

    @Override
    void routes(Routes routes) {
        routes.get("/text", request -> Response.text("text ä"));
        routes.get("/html", request -> Response.html("<p>"));
        routes.get("/json", request -> Response.json("{}"));
        routes.get("/bytes", request -> Response.bytes(new byte[] {'a', 'b'}));
        routes.get("/constant", request -> CONSTANT);
        routes.get("/large", request -> Response.text(LARGE));
        routes.get("/large/constant", request -> LARGE_CONSTANT);
        routes.get("/empty", request -> Response.empty(200));
        routes.get("/empty/{n}", request -> Response.empty(Integer.parseInt(request.param("n"))));
        routes.get(
                "/full/{n}",
                request -> Response.text("full").status(Integer.parseInt(request.param("n"))));
        routes.get("/redirect", request -> Response.redirect("/text"));
        routes.get(
                "/cookies",
                request ->
                        Response.text("")
                                .cookie(Cookie.of("a", "1"))
                                .cookie(Cookie.of("b", "2"))
                                .header("X", "1")
                                .header("X", "2")
                                .setHeader("Y", "1")
                                .setHeader("y", "2"));
        routes.get(
                "/dated",
                request ->
                        Response.text("x")
                                .header("Date", "Tue, 14 Nov 2023 22:13:20 GMT")
                                .header("Server", "mine"));
        routes.get("/stream/empty", request -> Response.stream(out -> {}));
        routes.get("/stream/small", request -> Response.stream(out -> out.write('s')));
        routes.get("/stream/flushed", request -> Response.stream(ResponsesTest::twoPieces));
        routes.get("/stream/large", request -> Response.stream(ResponsesTest::large));
        routes.get("/stream/204", request -> Response.stream(out -> out.write('s')).status(204));
        routes.get(
                "/stream/late",
                request ->
                        Response.stream(
                                out -> {
                                    twoPieces(out);
                                    out.close();
                                    throw new IOException("behind the end");
                                }));
        routes.get("/stated", request -> Response.stream(2, ResponsesTest::twoPieces));
        routes.get("/stated/none", request -> Response.stream(0, out -> {}));
        routes.get("/stated/few", request -> Response.stream(3, ResponsesTest::twoPieces));
        routes.get("/stated/many", request -> Response.stream(1, ResponsesTest::twoPieces));
        routes.get("/stated/many/swallowed", request -> Response.stream(2, this::threeSwallowed));
        routes.get("/file", request -> Response.file(folder.resolve("page.html")));
        routes.get("/inject", request -> Response.text("").header("X", "a\r\nSet-Cookie: b=c"));
        routes.get("/inject/lf", request -> Response.text("").header("X", "a\nb"));
        routes.get("/inject/name", request -> Response.text("").header("X: a\r\nY", "b"));
        routes.get("/inject/wide", request -> Response.text("").header("X", "a\u010ab"));
        routes.get("/inject/type", request -> Response.text("").contentType("a/b\r\nX: y"));
        routes.get("/inject/redirect", request -> Response.redirect("/a\r\n\r\n<html>"));
        routes.get("/framing", request -> Response.text("abc").header("Content-Length", "1"));
        routes.get("/coding", request -> Response.text("abc").header("Transfer-Encoding", "x"));
    }

    private static void twoPieces(java.io.OutputStream out) throws IOException {
        out.write('a');
        out.flush();
        out.write('b');
        out.flush();
    }

    private static void large(java.io.OutputStream out) throws IOException {
        byte[] all = LARGE.getBytes();
        var random = new Random(7);
        for (int at = 0; at < all.length; ) {
            int n = Math.min(all.length - at, 1 + random.nextInt(20_000));
            out.write(all, at, n);
            at += n;
        }
    }

    /** Writes two bytes of two, and one more, whose refusal it overlooks. */
    private void threeSwallowed(java.io.OutputStream out) throws IOException {
        twoPieces(out);
        try {
            out.write('c');
        } catch (IOException e) {
            // overlooked
        }
    }

    private Answer get(String path) {
        return wire("GET " + path + " HTTP/1.1\nHost: a\n\n");
    }

    @Test
    void factories() {
        get("/text").answers(200, "text \u00c3\u00a4").goesOn();
        get("/html").answers(200, "<p>").header("Content-Type", "text/html; charset=utf-8");
        get("/json").answers(200, "{}").header("Content-Type", "application/json");
        get("/bytes").answers(200, "ab").header("Content-Type", "application/octet-stream");
        get("/redirect").answers(302, "").header("Location", "/text").header("Content-Length", "0");
        get("/empty").answers(200, "").header("Content-Length", "0").goesOn();
    }

    @Test
    void aConstantIsTheSameEveryTime() {
        String answer =
                """
                HTTP/1.1 200 OK
                Content-Type: text/plain; charset=utf-8
                Content-Length: 8
                Date: *
                Server: Sirocco

                constant""";
        wire("GET /constant HTTP/1.1\nHost: a\n\n".repeat(3)).answers(answer.repeat(3)).goesOn();
    }

    @Test
    void largeOnesAreComplete() {
        get("/large").answers(200, LARGE).goesOn();
        wireWhole("GET /large/constant HTTP/1.1\nHost: a\n\n".repeat(3))
                .bodies(LARGE, LARGE, LARGE)
                .goesOn();
        wireWhole("GET /stream/large HTTP/1.1\nHost: a\n\n".repeat(2))
                .bodies(LARGE, LARGE)
                .goesOn();
    }

    @Test
    void headIsGetWithoutABody() {
        for (String path :
                new String[] {
                    "/text", "/large", "/empty", "/file", "/stated", "/none", "/constant"
                }) {
            String head = wire("HEAD " + path + " HTTP/1.1\nHost: a\n\n").goesOn().text();
            String get = get(path).goesOn().text();
            assertEquals(get.substring(0, get.indexOf("\r\n\r\n") + 4), head, path);
        }
    }

    @Test
    void headOfAStreamSaysNoLengthAndHasNoBody() {
        wire("HEAD /stream/flushed HTTP/1.1\nHost: a\n\n")
                .answers(
                        """
                        HTTP/1.1 200 OK
                        Content-Type: application/octet-stream
                        Transfer-Encoding: chunked
                        Date: *
                        Server: Sirocco

                        """)
                .goesOn();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/empty/204", "/full/204", "/empty/304", "/full/304", "/stream/204"})
    void noContentMeansNoneAndNoLength(String path) {
        get(path)
                .answers(Integer.parseInt(path.substring(path.length() - 3)))
                .bodies("")
                .header("Content-Length")
                .header("Transfer-Encoding")
                .goesOn();
    }

    /** RFC 9110 15.3.6: no content either, and a length that says so. */
    @Test
    void resetContentHasLengthNought() {
        get("/empty/205").answers(205, "").header("Content-Length", "0").goesOn();
        get("/full/205").answers(205, "").header("Content-Length", "0").goesOn();
    }

    @Test
    void fieldsOfOneNameAllSurvive() {
        get("/cookies")
                .answers(200, "")
                .header(
                        "Set-Cookie",
                        "a=1; Path=/; HttpOnly; SameSite=Lax",
                        "b=2; Path=/; HttpOnly; SameSite=Lax")
                .header("X", "1", "2")
                .header("Y", "2");
    }

    @Test
    void aHandlersDateAndServerAreTheOnlyOnes() {
        String answer =
                """
                HTTP/1.1 200 OK
                Content-Type: text/plain; charset=utf-8
                Date: *
                Server: mine
                Content-Length: 1

                x""";
        get("/dated").answers(answer).goesOn();
    }

    @Test
    void streamsAreChunkedUnlessTheyAreShort() {
        get("/stream/flushed")
                .answers(
                        """
                        HTTP/1.1 200 OK
                        Content-Type: application/octet-stream
                        Transfer-Encoding: chunked
                        Date: *
                        Server: Sirocco

                        1
                        a
                        1
                        b
                        0

                        """)
                .goesOn();
        get("/stream/small").answers(200, "s").header("Content-Length", "1").goesOn();
        get("/stream/empty").answers(200, "").header("Content-Length", "0").goesOn();
        get("/stream/large").answers(200, LARGE).header("Transfer-Encoding", "chunked").goesOn();
    }

    @Test
    void aStreamToHttp10EndsByClosing() {
        wire("GET /stream/flushed HTTP/1.0\nConnection: keep-alive\n\n")
                .answers(
                        """
                        HTTP/1.1 200 OK
                        Content-Type: application/octet-stream
                        Date: *
                        Server: Sirocco
                        Connection: close

                        ab""")
                .closes();
        wire("GET /stream/small HTTP/1.0\nConnection: keep-alive\n\n")
                .answers(200, "s")
                .header("Content-Length", "1")
                .goesOn();
    }

    /** The response is complete, and the next one is not to suffer. */
    @Test
    void whatIsThrownBehindTheEndOfAStreamBreaksNothing() {
        wire("GET /stream/late HTTP/1.1\nHost: a\n\n".repeat(3)).bodies("ab", "ab", "ab").goesOn();
    }

    @Test
    void aStatedLengthIsSent() {
        get("/stated").answers(200, "ab").header("Content-Length", "2").goesOn();
        get("/stated/none").answers(200, "").header("Content-Length", "0").goesOn();
        wire("GET /stated HTTP/1.0\nConnection: keep-alive\n\n").answers(200, "ab").goesOn();
    }

    /** The client must see that something is missing, and nothing may follow. */
    @ParameterizedTest
    @ValueSource(strings = {"few", "many", "many/swallowed"})
    void aBrokenPromiseBreaksTheConnection(String path) {
        int promised = path.equals("few") ? 3 : path.equals("many") ? 1 : 2;
        for (var transport : TRANSPORTS) {
            for (var mode : Serving.Mode.values()) {
                try (var serving = new Serving(transport, mode, this::config, this::routes)) {
                    try (Client client = serving.client()) {
                        client.send("GET /stated/" + path + " HTTP/1.1\nHost: a\n\n")
                                .send("GET /text HTTP/1.1\nHost: a\n\n");
                        String all = client.untilEnd();
                        int body = all.indexOf("\r\n\r\n") + 4;
                        assertEquals(-1, all.indexOf("HTTP/1.1", 1), all);
                        assertEquals(
                                body > 3 ? "Content-Length: " + promised : "",
                                all.replaceAll("(?s).*(Content-Length: \\d+)\r.*", "$1"));
                        assertEquals(true, body == 3 || all.length() - body <= 2, all);
                    } // else the server lingers, for what it has not read
                    serving.awaitQuiet();
                    assertEquals(1, serving.failures().size());
                }
            }
        }
    }

    @Test
    void aFileIsSentWithItsTypeAndLength() throws IOException {
        Files.writeString(folder.resolve("page.html"), "<p>" + LARGE);
        get("/file")
                .answers(200, "<p>" + LARGE)
                .header("Content-Type", "text/html; charset=utf-8")
                .header("Content-Length", "" + (3 + LARGE.length()))
                .goesOn();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/inject",
                "/inject/lf",
                "/inject/name",
                "/inject/wide",
                "/inject/type",
                "/inject/redirect",
                "/framing",
                "/coding"
            })
    void nothingIsInjectedIntoAHead(String path) {
        get(path)
                .answers(500, "Internal Server Error")
                .header("X")
                .header("Set-Cookie")
                .header("Content-Length", "21")
                .goesOn();
    }
}
