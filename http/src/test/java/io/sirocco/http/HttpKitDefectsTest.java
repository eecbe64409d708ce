// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.TransportKind;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What http-kit does on the wire (specs/http-kit.md 1.6), done as strictly, and what its users miss
 * (section 3) as far as HTTP/1.1 is concerned. These stand where their kin does:
 *
 * <pre>
 * request bodies buffered before the handler      {@link BackPressureTest#anUploadWaitsForItsHandler}
 * unbounded write queue                           {@link BackPressureTest#aDownloadWaitsForItsClient}
 * no timeout of any kind                          {@link DeadlinesTest}
 * half a request held open for ever               {@link DeadlinesTest#aHeadThatDripsIsRefused}
 * 414 for a long header                           {@link LimitsTest#heads}, {@link LimitsTest#targets}
 * queue full                                      {@link LimitsTest#requestsInProgress}
 * one 100 with Expect: 100-continue               {@link RequestBodiesTest#hundredIsSentOnceWhenTheBodyIsWanted}
 * forbidden trailers                              {@link RequestBodiesTest#trailersThatWouldFrameTheMessageAreIgnored}
 * two lengths, even if equal; signed lengths      {@link QurricaneDefectsTest#twoLengthsAreRefused},
 *                                                 {@link QurricaneDefectsTest#aLengthThatIsNoNumberIsRefused}
 * length beside coding                            {@link QurricaneDefectsTest#aLengthBesideACodingIsRefused}
 * bare LF                                         {@link QurricaneDefectsTest#aBareLineFeedIsRefusedAtOnce}
 * response splitting                              {@link ResponsesTest#nothingIsInjectedIntoAHead}
 * exception text sent to clients                  {@link RoutingTest#whatAHandlerThrowsIsNotTold}
 * pipelining stops after Connection: close        {@link KeepAliveTest#nothingBehindCloseIsAnswered}
 * graceful stop, backlog, descriptors             the package {@code life}, and the tests of net
 * </pre>
 */
class HttpKitDefectsTest extends OnTheWire {
    @TempDir static Path folder;

    @Override
    void routes(Routes routes) {
        routes.get("/", request -> Response.text("page"));
        routes.any("/any", request -> Response.text(request.method()));
        routes.post("/echo", request -> Response.bytes(request.body().bytes()));
        routes.get(
                "/remote",
                request ->
                        Response.text(
                                ((InetSocketAddress) request.remoteAddress())
                                        .getAddress()
                                        .getHostAddress()));
        routes.get("/stream/nothing", request -> Response.stream(out -> {}));
        routes.get("/stream/closed", request -> Response.stream(java.io.OutputStream::close));
        routes.get("/file", request -> Response.file(folder.resolve("large")));
        routes.get(
                "/memory",
                request -> {
                    throw new OutOfMemoryError("as if");
                });
        routes.get(
                "/stack",
                request -> {
                    throw new StackOverflowError();
                });
    }

    @ParameterizedTest
    @CsvSource({
        "'GET / HTTP/1.1\n\n',400,HOST_MISSING",
        "'GET / HTTP/1.1\nHost: a:b\n\n',400,BAD_HOST",
        "'GET / HTTP/1.1\nHost: a:65536\n\n',400,BAD_HOST",
        "'GET / HTTP/1.1\nHost: a/b\n\n',400,BAD_HOST",
        "'GET / HTTP/1.1\nHost: u@a\n\n',400,BAD_HOST",
        "'GET / HTTP/1.1\nHost:\n\n',400,BAD_HOST",
        "'GET / HTTP/2.0\nHost: a\n\n',505,UNKNOWN_VERSION",
        "'PRI * HTTP/2.0\n\nSM\n\n',505,HTTP_2_PREFACE",
        "'GET / HTTP/1.1\nHost: a\nX: y\n z\n\n',400,OBSOLETE_FOLD",
        "'GET / HTTP/1.1\nHost: a\n X: y\n\n',400,OBSOLETE_FOLD",
        "'GET / HTTP/1.1\n Host: a\n\n',400,OBSOLETE_FOLD",
        "'GET / HTTP/1.1\nHost: a\nX : y\n\n',400,SPACE_BEFORE_COLON",
        "'\n\nGET / HTTP/1.1\nHost: a\n\n',400,LEADING_EMPTY_LINE",
        "'GET /\n\n',400,BAD_VERSION",
        "'GET  / HTTP/1.1\nHost: a\n\n',400,BAD_TARGET",
        "'GET / HTTP/1.1 \nHost: a\n\n',400,BAD_VERSION",
        "'GET a HTTP/1.1\nHost: a\n\n',400,BAD_TARGET",
        "'GET /%zz HTTP/1.1\nHost: a\n\n',400,BAD_TARGET",
        "'\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',400,BAD_METHOD"
    })
    void aMalformedHeadIsRefusedAndTheConnectionCloses(
            String block, int status, RequestError rule) {
        wire(block).answers(status, Status.reason(status)).closes().logs(rule);
    }

    @ParameterizedTest
    @CsvSource({
        "identity,400,CHUNKED_NOT_LAST",
        "gzip,400,CHUNKED_NOT_LAST",
        "'chunked, gzip',400,CHUNKED_NOT_LAST",
        "'gzip, chunked',501,UNKNOWN_CODING",
        "'chunked, chunked',400,CODING_TWICE",
        "xchunked,400,CHUNKED_NOT_LAST",
        "'\u000bchunked',400,CONTROL_CHARACTER"
    })
    void aCodingOtherThanChunkedIsRefused(String coding, int status, RequestError rule) {
        wire("POST /echo HTTP/1.1\nHost: a\nTransfer-Encoding: " + coding + "\n\n0\n\n")
                .answers(status, Status.reason(status))
                .closes()
                .logs(rule);
    }

    @Test
    void codingInHttp10IsRefused() {
        wire("POST /echo HTTP/1.0\nTransfer-Encoding: chunked\n\n0\n\n")
                .answers(400, "Bad Request")
                .closes()
                .logs(RequestError.CODING_IN_HTTP_1_0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PROPFIND", "PURGE", "get", "X-1", "!#$%&'*+-.^_`|~"})
    void anyTokenIsAMethod(String method) {
        wire(method + " /any HTTP/1.1\nHost: a\n\n").answers(200, method).goesOn();
        wire(method + " / HTTP/1.1\nHost: a\n\n").answers(405, "Method Not Allowed").goesOn();
    }

    @Test
    void theAddressOfTheClientIsNotWhatItSays() {
        wire("GET /remote HTTP/1.1\nHost: a\nX-Forwarded-For: 10.0.0.1\nForwarded: for=10.0.0.2\n\n")
                .answers(200, "127.0.0.1")
                .goesOn();
    }

    /** http-kit sends nothing but the terminator of chunks. */
    @ParameterizedTest
    @ValueSource(strings = {"/stream/nothing", "/stream/closed"})
    void aStreamThatEndsBeforeItBeginsIsAResponse(String path) {
        wire("GET " + path + " HTTP/1.1\nHost: a\n\n")
                .answers(200, "")
                .header("Content-Length", "0")
                .goesOn();
    }

    /** What a handler does to the machine is its own affair: the loop lives, and so do others. */
    @ParameterizedTest
    @ValueSource(strings = {"/memory", "/stack"})
    void anErrorInAHandlerIsNoEndOfTheServer(String path) {
        wire("GET " + path + " HTTP/1.1\nHost: a\n\nGET / HTTP/1.1\nHost: a\n\n")
                .bodies("Internal Server Error", "page")
                .answers(500, 200)
                .goesOn();
    }

    /** It is read as it is sent, and never in memory as a whole. */
    @ParameterizedTest
    @FieldSource("io.sirocco.http.OnTheWire#TRANSPORTS")
    void aLargeFileIsNotInMemory(TransportKind transport) throws Exception {
        Path large = folder.resolve("large");
        try (var file = new java.io.RandomAccessFile(large.toFile(), "rw")) {
            file.setLength(1L << 31); // sparse; twice what the heap of these tests may be
        }
        try (var serving = new Serving(transport, config -> {}, this::routes);
                Client client = serving.client()) {
            client.send("GET /file HTTP/1.1\nHost: a\n\n").until("\r\n\r\n");
            assertTrue(client.text().contains("\r\nContent-Length: 2147483648\r\n"));
            client.until(8 << 20);
            assertTrue(serving.stats().net().writeMemory() < 2 << 20, () -> serving.toString());
            client.abort();
            serving.awaitQuiet();
            assertEquals(List.of(), serving.failures());
        } finally {
            Files.delete(large);
        }
    }

    /** Several loops serve one address, and each answers. */
    @ParameterizedTest
    @FieldSource("io.sirocco.http.OnTheWire#TRANSPORTS")
    void thereIsMoreThanOneLoop(TransportKind transport) {
        try (var serving =
                new Serving(
                        transport,
                        config -> config.loops(3),
                        routes ->
                                routes.get(
                                        "/",
                                        request -> Response.text(Thread.currentThread() + "")))) {
            var loops = new HashSet<Integer>();
            serving.await(
                    "three loops to have answered",
                    () -> {
                        try (Client client = serving.client()) {
                            client.send("GET / HTTP/1.1\nHost: a\nConnection: close\n\n");
                            assertTrue(client.untilEnd().startsWith("HTTP/1.1 200 OK\r\n"));
                        }
                        for (int i = 0; i < 3; i++) {
                            if (serving.server.stats().get(i).requests() > 0) {
                                loops.add(i);
                            }
                        }
                        return loops.size() == 3;
                    });
        }
    }

    @Test
    void whoIsServedIsCounted() {
        for (TransportKind transport : TRANSPORTS) {
            try (var serving = new Serving(transport, config -> {}, this::routes);
                    Client client = serving.client()) {
                client.send("GET / HTTP/1.1\nHost: a\n\n").until("\r\n\r\npage");
                client.send("GET / HTTP/1.1\n\n").untilEnd();
                assertEquals(2, serving.stats().requests());
                assertEquals(1, serving.stats().rejected());
                assertEquals(0, serving.stats().inProgress());
                List<Serving.Told> answers = serving.answers();
                assertEquals(1, answers.size());
                assertEquals("GET", answers.getFirst().method());
                assertEquals("/", answers.getFirst().route());
                assertEquals(200, answers.getFirst().status());
                assertEquals(4, answers.getFirst().bytesOut());
                assertTrue(answers.getFirst().complete());
                assertTrue(answers.getFirst().remote().toString().contains("127.0.0.1"));
            }
        }
    }
}
