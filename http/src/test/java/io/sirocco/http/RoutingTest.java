// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which handler is called, what it sees, and what is answered in its place. */
class RoutingTest extends OnTheWire {
    private static final String SECRET = "the database's password is 1234";

    @Override
    void config(Config config) {
        config.errorPages(
                (status, message) ->
                        status == 404
                                ? Response.html("<h1>" + message + "</h1>").header("X-Page", "1")
                                : Response.text(message));
    }

    @Override
    void routes(Routes routes) {
        routes.get("/", request -> Response.text("root"));
        routes.get("/hello/{name}", request -> Response.text("Hello, " + request.param("name")));
        routes.get("/hello/me", request -> Response.text("me"));
        routes.get("/files/*", request -> Response.text(request.param("*")));
        routes.post("/hello/{name}", request -> Response.text("posted"));
        routes.any("/any", request -> Response.text(request.method()));
        routes.host(
                "*.example.com",
                site -> site.get("/", request -> Response.text("host " + request.host())));
        routes.get("/target", RoutingTest::target);
        routes.get(
                "/query",
                request ->
                        Response.text(
                                request.query("a").orElse("none") + request.query().all("b")));
        routes.post("/form", request -> Response.text(request.form().first("a").orElse("none")));
        routes.post("/upload", RoutingTest::upload);
        routes.get("/cookie", request -> Response.text(request.cookie("c").orElse("none")));
        routes.get("/header", request -> Response.text(request.header("x-y").orElse("none")));
        routes.group(
                "/filtered",
                group -> {
                    group.filter(tagged("outer")).filter(tagged("inner"));
                    group.filter(
                            (request, next) ->
                                    request.query("stop").isPresent()
                                            ? Response.text("stopped").status(403)
                                            : next.handle(request));
                    group.get(
                            "/x",
                            request ->
                                    Response.text(
                                            request.attribute("tags").orElse("") + "handled"));
                });
        routes.get(
                "/throws",
                request -> {
                    throw new IllegalStateException(SECRET);
                });
        routes.get(
                "/throws/error",
                request -> {
                    throw new AssertionError(SECRET);
                });
        routes.get(
                "/throws/checked",
                request -> {
                    throw new Exception(SECRET);
                });
        routes.get(
                "/throws/io",
                request -> {
                    throw new IOException(SECRET);
                });
        routes.get(
                "/throws/bad",
                request -> {
                    throw new BadRequest(422, "a is no number");
                });
        routes.get(
                "/throws/wrapped",
                request -> {
                    throw new UncheckedIOException(new IOException(new BadRequest("wrapped")));
                });
        routes.get("/null", request -> null);
        routes.get(
                "/throws/stream",
                request ->
                        Response.stream(
                                out -> {
                                    throw new IOException(SECRET);
                                }));
        routes.get("/later", request -> Response.async(later(Response.text("later"), null)));
        routes.get(
                "/later/stream",
                request ->
                        Response.async(
                                later(
                                        Response.stream(
                                                out -> {
                                                    out.write('a');
                                                    out.flush();
                                                }),
                                        null)));
        routes.get(
                "/later/later",
                request ->
                        Response.async(
                                later(Response.async(later(Response.text("twice"), null)), null)));
        routes.get(
                "/later/throws",
                request -> Response.async(later(null, new IllegalStateException(SECRET))));
        routes.get(
                "/later/bad", request -> Response.async(later(null, new BadRequest("bad later"))));
        routes.get("/later/null", request -> Response.async(later(null, null)));
        routes.get(
                "/later/now",
                request -> Response.async(CompletableFuture.completedFuture(Response.text("now"))));
        routes.get(
                "/events",
                request ->
                        Response.events(
                                sink -> {
                                    sink.send("one\ntwo\r\nthree\n");
                                    sink.send("named", "x");
                                    sink.send("named", "id", "");
                                    sink.comment("quiet");
                                    sink.retry(java.time.Duration.ofSeconds(2));
                                }));
    }

    /** Completed by another thread, most likely after the handler has returned. */
    private static CompletableFuture<Response> later(Response response, Throwable thrown) {
        var later = new CompletableFuture<Response>();
        Thread.ofVirtual()
                .start(
                        () -> {
                            if (thrown == null) {
                                later.complete(response);
                            } else {
                                later.completeExceptionally(thrown);
                            }
                        });
        return later;
    }

    private static Filter tagged(String tag) {
        return (request, next) -> {
            request.attribute("tags", request.attribute("tags").orElse("") + tag + " ");
            return next.handle(request).header("X-Tag", tag);
        };
    }

    private static Response target(Request request) {
        return Response.text(
                String.join(
                        "|",
                        request.method(),
                        request.target(),
                        request.path(),
                        request.host(),
                        request.version()));
    }

    private static Response upload(Request request) throws IOException {
        var text = new StringBuilder();
        for (Part part : request.multipart()) {
            text.append(part.name())
                    .append('=')
                    .append(part.filename().orElse(""))
                    .append(':')
                    .append(part.text())
                    .append(';');
        }
        return Response.text(text.toString());
    }

    private Answer get(String path) {
        return wire("GET " + path + " HTTP/1.1\nHost: a\n\n");
    }

    @ParameterizedTest
    @CsvSource({
        "/,root",
        "/?x,root",
        "/hello/you,'Hello, you'",
        "/hello/J%C3%B6rg,'Hello, J\u00c3\u00b6rg'",
        "/hello/a%2Fb,'Hello, a/b'",
        "/hello/me,me",
        "/files/a/b.txt,a/b.txt"
    })
    void paths(String path, String body) {
        get(path).answers(200, body).goesOn();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/none", "/hello", "/hello/", "/hello/a/b", "/HELLO/a", "/any/"})
    void anUnknownPathIsNotFoundOnTheServersOwnPage(String path) {
        get(path).answers(404, "<h1>Not Found</h1>").header("X-Page", "1").goesOn();
    }

    @Test
    void aMethodThatThePathDoesNotHave() {
        wire("DELETE /hello/a HTTP/1.1\nHost: a\n\n")
                .answers(405, "Method Not Allowed")
                .header("Allow", "GET, HEAD, OPTIONS, POST")
                .goesOn();
        wire("get /hello/a HTTP/1.1\nHost: a\n\n").answers(405, "Method Not Allowed").goesOn();
        wire("BREW /hello/a HTTP/1.1\nHost: a\n\n").answers(405, "Method Not Allowed").goesOn();
        wire("BREW /none HTTP/1.1\nHost: a\n\n").answers(404, "<h1>Not Found</h1>").goesOn();
        wire("BREW /any HTTP/1.1\nHost: a\n\n").answers(200, "BREW").goesOn();
    }

    @Test
    void options() {
        wire("OPTIONS /hello/a HTTP/1.1\nHost: a\n\n")
                .answers(204)
                .header("Allow", "GET, HEAD, OPTIONS, POST")
                .goesOn();
        wire("OPTIONS * HTTP/1.1\nHost: a\n\n").answers(204).header("Content-Length").goesOn();
        wire("OPTIONS * HTTP/1.1\nHost:\n\n").answers(204).goesOn();
        wire("OPTIONS /any HTTP/1.1\nHost: a\n\n").answers(200, "OPTIONS").goesOn();
    }

    @Test
    void connectIsNotImplemented() {
        wire("CONNECT a:443 HTTP/1.1\nHost: a:443\n\n").answers(501, "Not Implemented");
    }

    @Test
    void absoluteTargets() {
        wire("GET http://b:81/target?q HTTP/1.1\nHost: a\n\n")
                .answers(200, "GET|/target?q|/target|b|HTTP/1.1")
                .goesOn();
        wire("GET http://x.example.com HTTP/1.1\nHost: a\n\n").answers(200, "host x.example.com");
        wire("GET http://a?x HTTP/1.1\nHost: b\n\n").answers(200, "root").goesOn();
        wire("GET /target HTTP/1.0\n\n").answers(200, "GET|/target|/target||HTTP/1.0").closes();
    }

    @Test
    void virtualHosts() {
        wire("GET / HTTP/1.1\nHost: WWW.Example.com:8080\n\n")
                .answers(200, "host WWW.Example.com")
                .goesOn();
        wire("GET / HTTP/1.1\nHost: example.org\n\n").answers(200, "root").goesOn();
    }

    @Test
    void whatAHandlerSees() {
        get("/query?a=1%202&b=x&b=y+z").answers(200, "1 2[x, y z]");
        get("/query").answers(200, "none[]");
        wire("POST /form HTTP/1.1\nHost: a\nContent-Type: application/x-www-form-urlencoded\nContent-Length: 9\n\na=b%20c&d")
                .answers(200, "b c")
                .goesOn();
        wire("GET /cookie HTTP/1.1\nHost: a\nCookie: b=1; c=2\n\n").answers(200, "2");
        wire("GET /header HTTP/1.1\nHost: a\nX-Y:   v w \t\n\n").answers(200, "v w");
        wire("GET /header HTTP/1.1\nHost: a\nX-Y:\n\n").answers(200, "");
    }

    @Test
    void anUploadInParts() {
        String body =
                """
                --cut
                Content-Disposition: form-data; name="a"

                text
                --cut
                Content-Disposition: form-data; name="b"; filename="f.txt"
                Content-Type: text/plain

                in the file
                --cut--
                """;
        wire("""
                        POST /upload HTTP/1.1
                        Host: a
                        Content-Type: multipart/form-data; boundary=cut
                        Content-Length: %d

                        %s"""
                        .formatted(Client.bytes(body).length, body))
                .answers(200, "a=:text;b=f.txt:in the file;")
                .goesOn();
    }

    @Test
    void filtersStandInOrderAndMayStop() {
        get("/filtered/x")
                .answers(200, "outer inner handled")
                .header("X-Tag", "inner", "outer")
                .goesOn();
        get("/filtered/x?stop").answers(403, "stopped").header("X-Tag", "inner", "outer").goesOn();
        get("/").header("X-Tag");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/throws",
                "/throws/error",
                "/throws/checked",
                "/throws/io",
                "/throws/stream",
                "/null",
                "/later/throws",
                "/later/null"
            })
    void whatAHandlerThrowsIsNotTold(String path) {
        Answer answer = get(path).answers(500, "Internal Server Error").goesOn();
        assertFalse(answer.text().contains(SECRET));
    }

    @Test
    void whatTheClientDidWrongIsTold() {
        get("/throws/bad").answers(422, "a is no number").goesOn();
        get("/throws/wrapped").answers(400, "wrapped").goesOn();
        get("/later/bad").answers(400, "bad later").goesOn();
    }

    @Test
    void responsesForLater() {
        get("/later").answers(200, "later").goesOn();
        get("/later/stream").answers(200, "a").goesOn();
        get("/later/later").answers(200, "twice").goesOn();
        get("/later/now").answers(200, "now").goesOn();
        wire("GET /later HTTP/1.1\nHost: a\n\nGET / HTTP/1.1\nHost: a\n\n")
                .bodies("later", "root")
                .goesOn();
    }

    @Test
    void events() {
        Reply reply = get("/events").answers(200).goesOn().only();
        assertEquals("text/event-stream", reply.headers().first("Content-Type").orElse(""));
        assertEquals(
                """
                data: one
                data: two
                data: three
                data:\s

                event: named
                data: x

                event: named
                id: id
                data:\s

                : quiet

                retry: 2000

                """,
                reply.body());
    }

    @Test
    void headIsServedByGet() {
        assertEquals(
                Map.of("Content-Length", "4"),
                Map.of(
                        "Content-Length",
                        wire("HEAD / HTTP/1.1\nHost: a\n\n")
                                .goesOn()
                                .text()
                                .replaceAll("(?s).*Content-Length: (\\d+).*", "$1")));
    }

    @Test
    void whoReadsPathsAndHostsFromAFileMayAskWhetherTheyCanBe() {
        assertEquals(List.of("a", "*"), Routes.parameters("/x/{a}/*"));
        assertEquals("*.example.org", Routes.hostPattern("*.Example.ORG"));
        assertThrows(IllegalArgumentException.class, () -> Routes.parameters("x"));
        assertThrows(IllegalArgumentException.class, () -> Routes.hostPattern("a:80"));
    }
}
